"""Train a byte-level model from random weights on a pasted text, and generate a sample every few steps."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from core.checked_number import whole_number
from core.experiments.shared.claim import Observations
from core.experiments.shared.training_queue import QUEUE, Ended, TrainingQueue, Waiting, in_turn
from core.generation.generation import generated
from core.limits import Limits
from core.message import Message
from core.sampling.settings import SamplingSettings

if TYPE_CHECKING:
    from core.finetuning.from_scratch import ScratchModel

MOST_STEPS = 5_000
WRITTEN = 90  # bytes of a sample
WARMTH = SamplingSettings(temperature=0.6, seed=1)


@dataclass(frozen=True, slots=True)
class ScratchTrainingStep:
    """One training step. bits: loss per byte before the step; a uniform guess has 8. tokens: trained on so far; seconds: so far.

    sample: generated text after `beginning`, None if this step has no sample.
    """

    index: int
    bits: float
    tokens: int
    seconds: float
    sample: str | None


def train_from_scratch(
    model: ScratchModel, beginning: str = "Alice ", steps: int = 600, sample_every: int = 20, queue: TrainingQueue = QUEUE
) -> Iterator[Waiting | ScratchTrainingStep | Ended]:
    """Take `steps` training steps, with a sample before the first, after every `sample_every` steps and before the last; yield each step.

    Waits in `queue` first and ends early at the time limit. Raises BadSetting, EmptyPrompt.
    """
    for name, value, most in (
        (Message("The number of steps"), steps, MOST_STEPS),
        (Message("The number of steps between two samples"), sample_every, 1_000),
    ):
        whole_number(value, name, 1, most)
    with queue.ticket() as mine:
        yield from in_turn(queue, mine)
        latest = monotonic() + (Limits.from_environment().training_seconds or float("inf"))
        for number in range(steps):
            asked = number % sample_every == 0 or number == steps - 1
            sample = sample_of(model, beginning) if asked else None
            bits = model.step()
            yield ScratchTrainingStep(model.index, bits, model.tokens, model.seconds, sample)
            if monotonic() > latest:
                yield Ended("time is up")
                return
        yield Ended("done")


def sample_of(model: ScratchModel, beginning: str) -> str:
    """Return the text that the model generates after `beginning` now, at most WRITTEN bytes."""
    return generated(model.as_it_is(), beginning, WARMTH, WRITTEN).written


def loss_falls(observations: Observations) -> bool:
    bits = [step.bits for step in observations if isinstance(step, ScratchTrainingStep)]
    return float(np.mean(bits[-20:])) < 0.5 * bits[0]
