"""Sweep a sampling setting or compare models on the same prompt with common random numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from core.checked_number import whole_number
from core.engine.model import LanguageModel
from core.errors import BadSetting
from core.experiments.shared.result_file import StoredStep
from core.experiments.shared.side_by_side import MOST_STEPS, parting_text
from core.generation.generation import Generation
from core.message import Message
from core.record.step import Step
from core.sampling.settings import SamplingSettings

MOST_VALUES = 12
RUN = 3  # words that make a run
_WORD = re.compile(r"\w+(?:['’]\w+)*")

# The settings that can be swept, and their default values.
RANGES: dict[str, tuple[float, ...]] = {
    "temperature": (0.1, 0.4, 0.7, 1.0, 1.3, 1.6, 2.0),
    "top_k": (1, 2, 5, 20, 100, 0),
    "top_p": (0.1, 0.3, 0.5, 0.7, 0.9, 1.0),
    "min_p": (0.0, 0.02, 0.05, 0.1, 0.3, 0.5),
    "typical_p": (0.2, 0.5, 0.8, 0.95, 1.0),
    "repetition_penalty": (1.0, 1.1, 1.3, 1.6, 2.0),
    "seed": (0, 1, 2, 3, 4, 5),
}


@dataclass(frozen=True, slots=True)
class Statistics:
    """The figures of a text. surprise: mean, bits per token. repeats: sequences of three words that occurred before."""

    tokens: int
    words: int
    distinct_words: int
    repeats: int
    surprise: float
    seconds: float

    @property
    def perplexity(self) -> float:
        """Return 2 to the power of the mean surprise: the number of equally likely tokens with the same uncertainty."""
        return 2.0**self.surprise


@dataclass(frozen=True, slots=True)
class SweepResult:
    """One value of the swept setting, and its text. parts_at: first step that differs from the result before, None if none does."""

    value: float
    settings: SamplingSettings
    path: tuple[StoredStep, ...]
    parts_at: int | None
    finished: str | None

    @property
    def text(self) -> str:
        """Return the generated text."""
        return "".join(step.text for step in self.path)


def sweep(
    model: LanguageModel, prompt: str, name: str, values: Sequence[float] = (), settings: SamplingSettings | None = None, steps: int = 24
) -> Iterator[SweepResult]:
    """Generate a text for each of these values of one setting (default: those of RANGES), all else equal; yield each result.

    Raises BadSetting for an unknown setting, values out of range or more than MOST_VALUES; EmptyPrompt, PromptTooLong.
    """
    if name not in RANGES:
        raise BadSetting(
            "{name} is not a setting that can vary. Choose one of {names}.", name=repr(str(name)[:40]), names=", ".join(RANGES)
        )
    chosen = tuple(values) or RANGES[name]
    if len(chosen) > MOST_VALUES:
        raise BadSetting("A sweep has at most {most} values, not {count}.", most=MOST_VALUES, count=len(chosen))
    whole_numbers = name in ("top_k", "seed")
    base = replace(settings or SamplingSettings(), greedy=False)
    wanted = [replace(base, **{name: _whole(value) if whole_numbers else value}) for value in chosen]  # type: ignore[arg-type]
    steps = whole_number(steps, Message("The length"), 1, MOST_STEPS)
    before: tuple[Step, ...] | None = None
    for value, these in zip(chosen, wanted, strict=True):
        run = Generation(model, prompt, these, top_n=1)
        path = tuple(run.stream(steps))
        yield SweepResult(value, these, path, None if before is None else parting_text(before, path), run.finished)
        before = path


def statistics(path: Sequence[Step]) -> Statistics:
    """Return the figures of a generated text."""
    text = "".join(step.text for step in path)
    words = [word.lower() for word in _WORD.findall(text)]
    return Statistics(
        tokens=len(path),
        words=len(words),
        distinct_words=len(set(words)),
        repeats=repeated_runs(words),
        surprise=sum(step.surprise for step in path) / len(path) if path else 0.0,
        seconds=sum(step.forward.seconds for step in path),
    )


def repeated_runs(words: Sequence[str]) -> int:
    """Return how many sequences of three words occurred before.

    >>> repeated_runs("the old man and the old man and the sea".split())
    3
    """
    seen: set[tuple[str, ...]] = set()
    repeats = 0
    for start in range(len(words) - RUN + 1):
        run = tuple(words[start : start + RUN])
        repeats += run in seen
        seen.add(run)
    return repeats


def _whole(value: float) -> float:
    """Return a whole number as an int, any other value unchanged, so that SamplingSettings refuses it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value
