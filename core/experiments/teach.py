"""Fine-tuning live, one optimisation step at a time: teach a model a sentence, and watch what it expects change.

One training runs at a time in a process; who comes later waits in a queue and is told the place. Seconds and tokens of each are bounded.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

from core.errors import BadSetting
from core.finetuning.finetune import FineTuning, TrainingStep
from core.generation.generation import Generation
from core.language import N_, _, written
from core.limits import Limits
from core.settings import SamplingSettings

if TYPE_CHECKING:
    from core.engine.model import LanguageModel
    from core.record.step import TokenDistribution

MOST_STEPS = 2_000
LOOK_EVERY = 2  # steps between two looks at what it expects
WRITTEN = 14  # tokens that it writes at every look
LISTED = 50
LONGEST_REST = 1.0  # seconds between two steps, where others write
PATIENCE = 0.2  # seconds between two looks at the queue


@dataclass(frozen=True, slots=True)
class Waiting:
    """Somebody else is being taught. place: 1 = next."""

    place: int


@dataclass(frozen=True, slots=True)
class Look:
    """What the model expects after the beginning, after `index` steps. written: how it goes on by itself, its favourite at every step.

    known: what it expects after the beginning of something that it knew before, None where nobody asked.
    """

    index: int
    distribution: TokenDistribution
    written: str
    known: TokenDistribution | None = None


@dataclass(frozen=True, slots=True)
class Ended:
    """Why it went no further: "done", "time is up", "enough tokens"."""

    why: str


class _Queue:
    """Who is being taught, and who waits for it, first come first served."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tickets: list[object] = []

    @contextmanager
    def ticket(self) -> Iterator[object]:
        """A place in the queue, given up at the end."""
        mine = object()
        with self._lock:
            self._tickets.append(mine)
        try:
            yield mine
        finally:
            with self._lock:
                self._tickets.remove(mine)

    def before(self, ticket: object) -> int:
        """How many are before this one; 0 for whoever may train."""
        with self._lock:
            return self._tickets.index(ticket)


QUEUE = _Queue()


def teach(
    tuning: FineTuning, beginning: str, steps: int = 40, look_every: int = LOOK_EVERY, queue: _Queue = QUEUE, known: str = ""
) -> Iterator[Waiting | Look | TrainingStep | Ended]:
    """Take so many steps, and look at what the model expects after `beginning` before the first one and every few.

    known: the beginning of something that it knew before, to see whether it forgets it; empty to leave that out. Every look is a moment
    that `tuning.undo` can go back to. The generator may be dropped at any place and made anew to go on. Raises BadSetting, EmptyPrompt,
    PromptTooLong, NotEnoughMemory.
    """
    for name, value, most in ((N_("number of steps"), steps, MOST_STEPS), (N_("number of steps between two looks"), look_every, 100)):
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
            raise BadSetting(
                _("The {name} must be a whole number from 1 to {most}, not {value}.").format(
                    name=_(name), most=written(most), value=str(value)[:20]
                )
            )
    student = tuning.as_it_is()
    with queue.ticket() as mine:
        yield from in_turn(queue, mine)
        limits = Limits.from_environment()
        latest = monotonic() + (limits.training_seconds or float("inf"))
        tokens = limits.training_tokens or float("inf")
        if tuning.index not in tuning.moments:  # whoever paused may have dropped the generator before it was kept
            tuning.keep()
        yield look(student, beginning, tuning.index, known)
        for number in range(1, steps + 1):
            began = monotonic()
            yield tuning.step()
            last = number == steps or monotonic() > latest or tuning.tokens > tokens
            if last or tuning.index % look_every == 0:
                tuning.keep()
                yield look(student, beginning, tuning.index, known)
            if last:
                break
            give_way(tuning.model, began)
        yield Ended("time is up" if monotonic() > latest else "enough tokens" if tuning.tokens > tokens else "done")


def give_way(model: LanguageModel, began: float) -> float:
    """Rest as long as what was done since then took, if others wrote with this model meanwhile. Seconds rested."""
    rest = min(monotonic() - began, LONGEST_REST) if model.engine.lock.last_used > began else 0.0
    if rest > 0:
        threading.Event().wait(rest)
    return rest


def in_turn(queue: _Queue, ticket: object) -> Iterator[Waiting]:
    """Wait until nobody is before this ticket, saying so now and then."""
    while place := queue.before(ticket):
        yield Waiting(place)
        threading.Event().wait(PATIENCE)


def look(student: LanguageModel, beginning: str, index: int, known: str = "") -> Look:
    """What the model expects after the beginning, and how it goes on; and what it expects after the beginning of something it knew."""
    run = Generation(student, beginning, SamplingSettings(greedy=True), top_n=LISTED)
    distribution = run.next_distribution(SamplingSettings())
    while run.finished is None and len(run.path) < WRITTEN:
        run.step()
    run.release()
    return Look(index, distribution, run.written, _expected(student, known) if known.strip() else None)


def _expected(student: LanguageModel, beginning: str) -> TokenDistribution:
    run = Generation(student, beginning, SamplingSettings(), top_n=LISTED)
    distribution = run.next_distribution(SamplingSettings())
    run.release()
    return distribution
