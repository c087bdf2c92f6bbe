"""Live fine-tuning, one optimizer step at a time: train a model on a sentence and observe its next-token probabilities.

One training runs at a time in a process; later ones wait (`training_queue.py`). Seconds and tokens of each are limited.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

from core.checked_number import whole_number
from core.engine.model import LanguageModel
from core.experiments.shared.claim import Observations
from core.experiments.shared.result_file import StoredDistribution
from core.experiments.shared.training_queue import QUEUE, Ended, TrainingQueue, Waiting, in_turn
from core.finetuning.finetune import FineTuning, TrainingStep
from core.generation.generation import Generation
from core.limits import Limits
from core.message import Message
from core.record.step import TokenDistribution
from core.sampling.settings import SamplingSettings

MOST_STEPS = 2_000
LOOK_EVERY = 2  # steps between two looks
WRITTEN = 14  # tokens that the model generates at every look
LISTED = 50
LONGEST_REST = 1.0  # seconds between two steps while others use the model


@dataclass(frozen=True, slots=True)
class Probe:
    """The next-token distribution after `beginning` after `index` steps. written: the model's greedy continuation.

    known: the next-token distribution after the start of a text that the model knew before; None without such a text.
    """

    index: int
    distribution: StoredDistribution
    written: str
    known: StoredDistribution | None = None


def teach(
    tuning: FineTuning, beginning: str, steps: int = 40, look_every: int = LOOK_EVERY, queue: TrainingQueue = QUEUE, known: str = ""
) -> Iterator[Waiting | Probe | TrainingStep | Ended]:
    """Take `steps` training steps; yield each, and a look at the probabilities after `beginning` at the start and every `look_every` steps.

    known: start of a text that the model knew before, to see whether it forgets it; "" for none. `tuning.undo` can go back to every look.
    The generator can be dropped at any time, and a new one continues. Raises BadSetting, EmptyPrompt, PromptTooLong, NoRoom.
    """
    for name, value, most in (
        (Message("The number of steps"), steps, MOST_STEPS),
        (Message("The number of steps between two measurements"), look_every, 100),
    ):
        whole_number(value, name, 1, most)
    student = tuning.as_it_is()
    with queue.ticket() as mine:
        yield from in_turn(queue, mine)
        limits = Limits.from_environment()
        latest = monotonic() + (limits.training_seconds or float("inf"))
        tokens = limits.training_tokens or float("inf")
        if tuning.index not in tuning.moments:  # a pause can drop the generator before this step was stored
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
            pause_for_others(tuning.model, began)
        yield Ended("time is up" if monotonic() > latest else "enough tokens" if tuning.tokens > tokens else "done")


def pause_for_others(model: LanguageModel, began: float) -> float:
    """Pause as long as the time since `began`, at most LONGEST_REST, if others used this model since then; return the seconds paused."""
    pause = min(monotonic() - began, LONGEST_REST) if model.engine.lock.last_used > began else 0.0
    if pause > 0:
        threading.Event().wait(pause)
    return pause


def look(student: LanguageModel, beginning: str, index: int, known: str = "") -> Probe:
    """Return the next-token distribution and the greedy continuation after `beginning`, and the distribution after `known`."""
    run = Generation(student, beginning, SamplingSettings(greedy=True), top_n=LISTED)
    distribution = run.next_distribution(SamplingSettings())
    while run.finished is None and len(run.path) < WRITTEN:
        run.step()
    run.release()
    return Probe(index, distribution, run.written, _expected(student, known) if known.strip() else None)


def _expected(student: LanguageModel, beginning: str) -> TokenDistribution:
    run = Generation(student, beginning, SamplingSettings(), top_n=LISTED)
    distribution = run.next_distribution(SamplingSettings())
    run.release()
    return distribution


def learned(observations: Observations) -> bool:
    probes = [probe for probe in observations if isinstance(probe, Probe)]
    first, last = probes[0].distribution.candidates, probes[-1].distribution.candidates[0]
    before = next((c.model_probability for c in first if c.token_id == last.token_id), 0.0)
    return last.model_probability > 0.5 > before
