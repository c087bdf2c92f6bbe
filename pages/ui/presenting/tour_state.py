"""The tour of one visitor: which stop, in which voice, what was tried; and the runs that its widgets show. The verbs are for `on_click`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core import SamplingSettings, list_models
from core.errors import ModelError
from core.language import _
from pages.ui.presenting import tour_voices
from pages.ui.session import current

if TYPE_CHECKING:
    from core import Generation
    from core.engine.model import LanguageModel

NAME = "tour"
SETTINGS = SamplingSettings(temperature=0.8, top_p=0.95, seed=5)

# The stops in order, and the page that goes deeper at each.
STOPS: dict[str, str] = {
    "send": "watch.py",
    "pieces": "inside.py",
    "meaning": "inside.py",
    "layers": "inside.py",
    "odds": "watch.py",
    "dice": "watch.py",
    "loop": "watch.py",
    "notepad": "cache.py",
    "full": "memory.py",
    "many": "batching.py",
    "guess": "speculative.py",
    "price": "cost.py",
    "aloud": "think.py",
    "back": "what_if.py",
}
ORDER = tuple(STOPS)


@dataclass(slots=True)
class Tour:
    """stop, voice: where the visitor is and who tells it. tried: the stops at which the thing to try was done. kept: the widgets' own."""

    stop: str = ORDER[0]
    voice: str = tour_voices.VOICES[0]
    tried: set[str] = field(default_factory=set)
    kept: dict[str, Any] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """The stop's place, from 1."""
        return ORDER.index(self.stop) + 1

    def address(self) -> dict[str, str]:
        """What the tour adds to the page's address: a link to this stop, with the progress in it."""
        done = ".".join(stop for stop in ORDER if stop in self.tried)
        return {"stop": self.stop, "voice": self.voice} | ({"done": done} if done else {})


def tour() -> Tour:
    """This visitor's tour; the first time it begins where the address says."""
    known = current.results().get(NAME)
    if not isinstance(known, Tour):
        known = current.results()[NAME] = from_link(current.current_session().link)
    return known


def apply_query(query: Mapping[str, str]) -> None:
    """The page was just opened with this behind the question mark: a stop that it names is the one to be at."""
    now, asked = tour(), from_link(query)
    if query.get("stop") in STOPS:
        now.stop, now.tried = asked.stop, now.tried | asked.tried
    if query.get("voice") in tour_voices.VOICES:
        now.voice = asked.voice


def active_tour() -> Tour | None:
    """The tour, if this visitor has begun one."""
    known = current.results().get(NAME)
    return known if isinstance(known, Tour) else None


def from_link(link: Mapping[str, str]) -> Tour:
    """A tour as an address asks for it; what there is not is passed over.

    >>> from_link({"stop": "dice", "voice": "shouting", "done": "send.nowhere"})
    Tour(stop='dice', voice='questions', tried={'send'}, kept={})
    """
    stop, voice = link.get("stop", ""), link.get("voice", "")
    done = {name for name in link.get("done", "")[:400].split(".") if name in STOPS}
    return Tour(stop if stop in STOPS else ORDER[0], voice if voice in tour_voices.VOICES else tour_voices.VOICES[0], done)


@current.error_boundary
def go(stop: str) -> None:
    """To this stop."""
    if stop in STOPS:
        tour().stop = stop


@current.error_boundary
def move(steps: int) -> None:
    """So many stops on, or back."""
    now = tour()
    now.stop = ORDER[max(0, min(len(ORDER) - 1, now.number - 1 + steps))]


@current.error_boundary
def voice_chosen() -> None:
    """Another voice was chosen."""
    asked = current.field("tour_voice")
    if asked in tour_voices.VOICES:
        tour().voice = asked


def tried(stop: str) -> None:
    """The thing to try at this stop was done."""
    tour().tried.add(stop)


def model() -> LanguageModel:
    """The model of the tour: always the one that came with the app, so that what is said of it holds. Raises ViewerError."""
    listed = list_models()
    if not listed:
        raise ModelError(_("There is no model on this machine. Put one into core/bundled, or open one by name."))
    return current.model_named(listed[0].name)


def run(name: str = "story", prompt: str = "Once upon a time, there was a little") -> Generation:
    """A run of the tour's own, kept from stop to stop. Raises ViewerError."""
    from core import Generation

    kept, writer = tour().kept, model()
    known = kept.get(name)
    if known is None or known.prompt != prompt or known.model is not writer:
        known = kept[name] = Generation(writer, prompt, SETTINGS)
    made: Generation = known
    return made


@current.error_boundary
def write(count: int) -> None:
    """So many more pieces of the story; at its end it begins again."""
    current.anchor_notices("tour_widget")
    made = run()
    for _step in range(count):
        if made.finished:
            break
        made.step()


@current.error_boundary
def from_the_start() -> None:
    """The story from its beginning, with other dice."""
    made = run()
    made.go_to(-1)
    made.settings = SamplingSettings(**{**made.settings.as_dict(), "seed": made.settings.seed + 1})
