"""Cost of training: multiply-adds of a step and of a whole run, and how many answers later inference has cost as much.

A training step multiplies every weight with every token three times: once forward, and twice on the way back (for the gradient of the
inputs, and for that of the weight): Kaplan and others 2020 write it as 6 floating point operations per parameter
and token, two of them forward.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.checked_number import whole_number
from core.costs.operations_and_bytes import LARGEST, answer_multiply_adds, attention_multiply_adds
from core.engine.shape import ModelShape
from core.errors import BadSetting
from core.message import Message, Number

MOST = 10**6  # texts of a step, and tokens of a text
UPDATE = 6  # multiply-adds per weight in an AdamW update: two running means, a root, a quotient, the step


@dataclass(frozen=True, slots=True)
class StepWork:
    """Multiply-adds of one training step, by what they are for."""

    forward: float
    backward: float
    update: float

    @property
    def total(self) -> float:
        """Return the sum of all parts."""
        return self.forward + self.backward + self.update


@dataclass(frozen=True, slots=True)
class PublishedTraining:
    """What the makers of a model published about its training. gpu_hours: on cards of `watts` each at most. source: where they say so."""

    model: str
    tokens: float
    gpu_hours: float
    watts: float
    source: str


PUBLISHED: dict[str, PublishedTraining] = {
    "llama-3.1-8b": PublishedTraining("llama-3.1-8b", 15e12, 1.46e6, 700, "Meta, model card of Llama 3.1, 2024"),
    "llama-3.1-70b": PublishedTraining("llama-3.1-70b", 15e12, 7.0e6, 700, "Meta, model card of Llama 3.1, 2024"),
    "llama-3.1-405b": PublishedTraining("llama-3.1-405b", 15e12, 30.84e6, 700, "Meta, model card of Llama 3.1, 2024"),
}


def training_step_work(shape: ModelShape, rows: int, length: int) -> StepWork:
    """One step over `rows` texts of `length` tokens: unlike in inference, every position goes through the final matrix too."""
    rows = whole_number(rows, Message("The number of texts"), 1, MOST)
    length = whole_number(length, Message("The length"), 1, MOST)
    tokens = rows * length
    attention = rows * sum(attention_multiply_adds(shape, context) for context in range(1, length + 1))
    forward = tokens * (shape.matrix_parameters + shape.scan_multiply_adds) + attention
    return StepWork(forward, 2 * forward, UPDATE * shape.parameter_count)


def training_work(shape: ModelShape, tokens: float, length: int = 512) -> float:
    """Multiply-adds of a whole training on so many tokens, in texts of this length; updates, shared by many tokens, left out."""
    length = whole_number(length, Message("The length"), 1, MOST)
    per_text = training_step_work(shape, 1, length)
    return (per_text.forward + per_text.backward) / length * _amount(tokens, "tokens")


def answers_until_even(training: float, shape: ModelShape, prompt_tokens: int, new_tokens: int) -> float:
    """Return how many answers need as many multiply-adds as the training; infinity for answers without work."""
    per_answer = answer_multiply_adds(shape, prompt_tokens, new_tokens)
    if math.isnan(training) or math.isnan(per_answer):
        return math.nan
    return _amount(training, "training", most=1e40) / per_answer if per_answer else math.inf


def _amount(value: float, name: str, most: float = LARGEST) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        raise BadSetting(
            "The {name} must be a number from 0 to {most}, not {value}.", name=name, most=Number(most, ".0e"), value=str(value)[:20]
        )
    return float(value)
