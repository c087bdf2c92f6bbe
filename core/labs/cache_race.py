"""The same text written twice, once with the notepad and once without: a race by each runner's own clock.

Both runners write with the same prompt, settings and dice. The one that has computed for less time so far goes next, so at every moment
of the race both have had the same time, however busy the machine is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from core.errors import BadSetting
from core.generation.generation import Generation
from core.settings import SamplingSettings

if TYPE_CHECKING:
    from core.engine.model import LanguageModel
    from core.record.step import Step

LONGEST = 2048  # tokens a race may go on for
CACHED, UNCACHED = "with the notepad", "without"


@dataclass(frozen=True, slots=True)
class RaceStep:
    """One token written by one runner. seconds: of this pass; total_*: of this runner so far. cache_bytes: counted from its tensors."""

    runner: str
    index: int
    token_id: int
    text: str
    seconds: float
    computed: int
    reused: int
    total_seconds: float
    total_positions: int
    cache_bytes: int


@dataclass(frozen=True, slots=True)
class Power:
    """y = factor * x ** exponent, fitted through measured points; r_squared says how well, on logarithmic scales (1 = exactly)."""

    factor: float
    exponent: float
    r_squared: float

    def at(self, x: float) -> float:
        """The fitted value."""
        return self.factor * x**self.exponent


def race(model: LanguageModel, prompt: str, settings: SamplingSettings | None = None, length: int = 64) -> Iterator[RaceStep]:
    """Write `length` tokens with a cache and without one, step by step as they are computed.

    Where the model would end its text, its next best token is taken instead, by both, so that the race goes its full length; it is shorter
    only where the model's context is full. Raises EmptyPrompt, PromptTooLong, BadSetting.
    """
    if isinstance(length, bool) or not isinstance(length, int) or not 1 <= length <= LONGEST:
        raise BadSetting(f"A race goes over 1 to {LONGEST:,} tokens, not {str(length)[:20]}.")
    settings = settings or SamplingSettings()
    runs = {cached: Generation(model, prompt, settings, top_n=2, use_cache=cached) for cached in (True, False)}
    seconds, positions = {True: 0.0, False: 0.0}, {True: 0, False: 0}
    try:
        while running := [cached for cached, run in runs.items() if len(run.path) < length and run.finished is None]:
            cached = min(running, key=lambda runner: seconds[runner])
            step = next_token(runs[cached])
            if step is None:
                break
            done = step.forward
            seconds[cached] += done.seconds
            positions[cached] += done.computed_tokens
            yield RaceStep(
                runner=CACHED if cached else UNCACHED,
                index=step.index,
                token_id=step.token_id,
                text=step.text,
                seconds=done.seconds,
                computed=done.computed_tokens,
                reused=done.reused_tokens,
                total_seconds=seconds[cached],
                total_positions=positions[cached],
                cache_bytes=done.cache_bytes,
            )
    finally:
        for run in runs.values():
            run.release()


def next_token(run: Generation) -> Step | None:
    """One more token, but never the one that ends the text: the best of the others is taken in its place. None if memory is full."""
    step = next(run.write(1), None)
    if step is None:
        return None
    if run.finished != "end of text":
        return step
    others = [candidate.token_id for candidate in step.candidates if candidate.token_id not in run.model.end_token_ids]
    if not others:
        return step
    run.go_to(step.index - 1)
    return run.force(others[0])


def same_text(steps: Sequence[RaceStep]) -> bool:
    """Whether both runners wrote the same tokens, as far as both have come."""
    one, other = ([step.token_id for step in steps if step.runner == runner] for runner in (CACHED, UNCACHED))
    count = min(len(one), len(other))
    return one[:count] == other[:count]


def speed_up(steps: Sequence[RaceStep]) -> float | None:
    """How many times longer the runner without a notepad took for the tokens that both have written; None before the first."""
    times = {runner: [step.total_seconds for step in steps if step.runner == runner] for runner in (CACHED, UNCACHED)}
    count = min(map(len, times.values()))
    if not count or not times[CACHED][count - 1]:
        return None
    return times[UNCACHED][count - 1] / times[CACHED][count - 1]


def growth(steps: Sequence[RaceStep], runner: str, of: str = "total_seconds") -> Power | None:
    """How this runner's total ("total_seconds" or "total_positions") grows with the tokens written: the power law through the later
    three quarters of the race, where a short prompt no longer matters."""
    points = [(step.index + 1, getattr(step, of)) for step in steps if step.runner == runner]
    late = points[len(points) // 4 :]
    return fit_power([x for x, _ in late], [y for _, y in late])


def fit_power(x: Sequence[float], y: Sequence[float]) -> Power | None:
    """The power law through these points by least squares on logarithms, None for fewer than three usable ones.

    >>> power = fit_power([1, 2, 4, 8], [3, 12, 48, 192])
    >>> round(power.exponent, 6), round(power.factor, 6)
    (2.0, 3.0)
    """
    points = [(math.log(a), math.log(b)) for a, b in zip(x, y, strict=True) if a > 0 and b > 0]
    if len({a for a, _ in points}) < 3:
        return None
    across, up = np.array(points).T
    exponent, offset = np.polyfit(across, up, 1)
    missed = float(((up - exponent * across - offset) ** 2).sum())
    spread = float(((up - up.mean()) ** 2).sum())
    return Power(math.exp(offset), float(exponent), 1.0 if spread == 0 else max(0.0, 1 - missed / spread))


def fit_parabola(x: Sequence[float], y: Sequence[float]) -> tuple[float, float] | None:
    """a and b of y = a x + b x^2 through these points by least squares, neither below zero; None for fewer than two points.

    >>> [round(v, 6) for v in fit_parabola([1, 2, 3], [3, 10, 21])]
    [1.0, 2.0]
    """
    if len(x) < 2:
        return None
    across, up = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    (a, b), *_ = np.linalg.lstsq(np.stack([across, across**2], axis=1), up, rcond=None)
    if a < 0:
        a, b = 0.0, float((across**2 @ up) / (across**2 @ across**2))
    if b < 0:
        a, b = float((across @ up) / (across @ across)), 0.0
    return float(a), float(b)
