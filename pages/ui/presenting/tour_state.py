"""The tour of one visitor: stop, voice, progress, and the runs of its widgets. Actions are for `on_click`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from core import SamplingSettings, list_models
from core.errors import ModelError
from pages.ui.i18n.example_texts import FIRST_PROMPT
from pages.ui.i18n.translation import _
from pages.ui.presenting.tour_texts import ORDER, STOPS, VOICES
from pages.ui.session import current
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import anchor_notices
from pages.ui.session.state import current_session, memory

if TYPE_CHECKING:
    from core import Generation
    from core.engine.model import LanguageModel


NAME = "tour"


SETTINGS = SamplingSettings(temperature=0.8, top_p=0.95, seed=5)


@dataclass(slots=True)
class Tour:
    """stop, voice: the current ones. tried: stops whose task was done. values: of the widgets."""

    stop: str = ORDER[0]
    voice: str = VOICES[0]
    tried: set[str] = field(default_factory=set)
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def number(self) -> int:
        """Number of the stop, from 1."""
        return ORDER.index(self.stop) + 1

    def address(self) -> dict[str, str]:
        """Return the query of a link to this stop, with the progress."""
        tried = ".".join(stop for stop in ORDER if stop in self.tried)
        return {"stop": self.stop, "voice": self.voice} | ({"done": tried} if tried else {})


@dataclass(slots=True)
class TourOfVisitor:
    """The tour, once it has begun."""

    tour: Tour | None = None


def tour() -> Tour:
    """Return this visitor's tour. The first call starts it at the stop of the address."""
    remembered = memory(TourOfVisitor)
    remembered.tour = remembered.tour or from_link(current_session().link.query)
    return remembered.tour


def apply_query(query: Mapping[str, str]) -> None:
    """Go to the stop and voice of a query, and add its progress."""
    now, asked = tour(), from_link(query)
    if query.get("stop") in STOPS:
        now.stop, now.tried = asked.stop, now.tried | asked.tried
    if query.get("voice") in VOICES:
        now.voice = asked.voice


def active_tour() -> Tour | None:
    """Return the tour, None if this visitor has not started it."""
    return memory(TourOfVisitor).tour


def from_link(link: Mapping[str, str]) -> Tour:
    """Return the tour of a query. Unknown values are ignored.

    >>> from_link({"stop": "dice", "voice": "shouting", "done": "send.nowhere"})
    Tour(stop='dice', voice='questions', tried={'send'}, values={})
    """
    stop, voice = link.get("stop", ""), link.get("voice", "")
    tried = {name for name in link.get("done", "")[:400].split(".") if name in STOPS}
    return Tour(stop if stop in STOPS else ORDER[0], voice if voice in VOICES else VOICES[0], tried)


@action_boundary
def go(stop: str) -> None:
    """Go to this stop."""
    if stop in STOPS:
        tour().stop = stop


@action_boundary
def move(steps: int) -> None:
    """Go forward or back by this number of stops."""
    now = tour()
    now.stop = ORDER[max(0, min(len(ORDER) - 1, now.number - 1 + steps))]


@action_boundary
def voice_chosen() -> None:
    """Apply the chosen voice."""
    asked = current.field("tour_voice")
    if asked in VOICES:
        tour().voice = asked


def tried(stop: str) -> None:
    """Note that the task of this stop was done."""
    tour().tried.add(stop)


def model() -> LanguageModel:
    """Return the tour's model: always the first bundled one, because the texts describe it. Raises ViewerError."""
    listed = list_models()
    if not listed:
        raise ModelError(_("There is no model on this machine. Put one into core/bundled, or open one by name."))
    return current.model_named(listed[0].name)


def run(name: str = "story", prompt: str = FIRST_PROMPT) -> Generation:
    """Return a run that belongs to the tour and outlasts a change of stop. Raises ViewerError."""
    from core import Generation

    values, writer = tour().values, model()
    stored: Generation | None = values.get(name)
    if stored is None or stored.prompt != prompt or stored.model is not writer:
        stored = values[name] = Generation(writer, prompt, SETTINGS)
    return stored


@action_boundary
def write(count: int) -> None:
    """Write this number of tokens, or fewer if the story ends."""
    anchor_notices("tour_widget")
    story = run()
    for _step in range(count):
        if story.finished:
            break
        story.step()


@action_boundary
def from_the_start() -> None:
    """Go back to the prompt of the story and change the seed."""
    story = run()
    story.go_to(-1)
    story.settings = SamplingSettings(**{**story.settings.as_dict(), "seed": story.settings.seed + 1})
