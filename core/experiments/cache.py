"""KV cache ablation: generate the same text with and without the cache as a race, each runner with its own clock.

Both runners use the same prompt, settings and seed. The runner with less computing time so far runs next. Both therefore always have the
same time, however busy the machine is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.checked_number import whole_number
from core.engine.model import LanguageModel
from core.experiments.shared.claim import Claim, Observations
from core.experiments.shared.next_token import next_token
from core.generation.generation import Generation
from core.message import Message
from core.sampling.settings import SamplingSettings

LONGEST = 2048  # tokens of a race
CACHED, UNCACHED = "with the notepad", "without"
FEWEST = 24  # a trend needs more than this many tokens of a runner
STRETCHES = 8  # equal parts of a race whose medians a line is fitted to
T_95 = 2.447  # Student's t for a 95 % interval with STRETCHES - 2 degrees of freedom


@dataclass(frozen=True, slots=True)
class RaceStep:
    """One token of one runner. seconds: of this pass; total_*: of this runner so far.

    cache_bytes: of the tokens in its cache; held_bytes: of the arrays that hold them, spare room included.
    """

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
    held_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Trend:
    """The time of one more token as a line, seconds = base + slope x tokens in the text, fitted to the measured passes.

    error: half the width of the slope's 95 % interval. r_squared: explained fraction of the variance (near 0 for a level line). steps:
    number of passes in the fit. first: measured seconds of the first pass, which reads the prompt of `prompt` tokens.
    """

    base: float
    slope: float
    error: float
    r_squared: float
    steps: int
    first: float
    prompt: int

    @property
    def grows(self) -> bool:
        """Return whether the slope is larger than its error."""
        return self.slope > self.error

    def total(self, tokens: int) -> float:
        """Return the seconds for this many generated tokens: the measured first pass plus the fitted time of every further pass."""
        further = max(0, tokens - 1)
        return self.first + further * self.base + self.slope * (further * self.prompt + further * (further + 1) / 2)


def race(model: LanguageModel, prompt: str, settings: SamplingSettings | None = None, length: int = 64) -> Iterator[RaceStep]:
    """Generate `length` tokens with a cache and without one; yield each step of either runner.

    If the model would end its text, both runners take the next likeliest token instead, so that the race has its full length. It is
    shorter only if the model's context is full. Raises EmptyPrompt, PromptTooLong, BadSetting.
    """
    length = whole_number(length, Message("The length"), 1, LONGEST)
    settings = settings or SamplingSettings()
    runs = {cached: Generation(model, prompt, settings, top_n=2, use_cache=cached) for cached in (True, False)}
    seconds, positions = {True: 0.0, False: 0.0}, {True: 0, False: 0}
    try:
        while running := [cached for cached, run in runs.items() if len(run.path) < length and run.finished is None]:
            cached = min(running, key=lambda runner: seconds[runner])
            step = next_token(runs[cached])
            if step is None:
                break
            forward = step.forward
            seconds[cached] += forward.seconds
            positions[cached] += forward.computed_tokens
            yield RaceStep(
                runner=CACHED if cached else UNCACHED,
                index=step.index,
                token_id=step.token_id,
                text=step.text,
                seconds=forward.seconds,
                computed=forward.computed_tokens,
                reused=forward.reused_tokens,
                total_seconds=seconds[cached],
                total_positions=positions[cached],
                cache_bytes=forward.cache_bytes,
                held_bytes=forward.held_bytes,
            )
    finally:
        for run in runs.values():
            run.release()


def same_text(steps: Sequence[RaceStep]) -> bool:
    """Return whether both runners chose the same tokens, up to the length of the shorter text."""
    cached, uncached = ([step.token_id for step in steps if step.runner == runner] for runner in (CACHED, UNCACHED))
    count = min(len(cached), len(uncached))
    return cached[:count] == uncached[:count]


def speed_up(steps: Sequence[RaceStep]) -> float | None:
    """Return the time without a cache divided by the time with one, for the tokens that both have generated; None before the first."""
    times = {runner: [step.total_seconds for step in steps if step.runner == runner] for runner in (CACHED, UNCACHED)}
    count = min(map(len, times.values()))
    if not count or not times[CACHED][count - 1]:
        return None
    return times[UNCACHED][count - 1] / times[CACHED][count - 1]


def trend(steps: Sequence[RaceStep], runner: str) -> Trend | None:
    """Return the trend of this runner's time per token over the length of the text; None for at most `FEWEST` tokens.

    The time of single passes varies on a busy machine, so the line is fitted to the medians of eight equal parts of the race. The first
    pass is left out, because it reads the whole prompt.
    """
    mine = [step for step in steps if step.runner == runner]
    if len(mine) <= FEWEST:
        return None
    stretches = np.array_split(np.array([(step.computed + step.reused, step.seconds) for step in mine[1:]]), STRETCHES)
    points = np.array([np.median(stretch, 0) for stretch in stretches])
    x, y = points[:, 0], points[:, 1]
    across, up = x - x.mean(), y - y.mean()
    slope = float(across @ up / (across @ across))
    missed = float(((up - slope * across) ** 2).sum())
    spread = float((up**2).sum())
    error = T_95 * math.sqrt(missed / (STRETCHES - 2) / float(across @ across))
    explained = 1 - missed / spread if spread else 0.0
    prompt = mine[0].computed + mine[0].reused
    return Trend(float(y.mean() - slope * x.mean()), slope, error, explained, len(mine) - 1, mine[0].seconds, prompt)


def _cache_wins(observations: Observations) -> bool:
    runs = [[step for step in observations if (step.runner == CACHED) is cached] for cached in (True, False)]
    same = [step.token_id for step in runs[0]] == [step.token_id for step in runs[1]]
    return same and 1.5 * runs[0][-1].total_seconds < runs[1][-1].total_seconds


# Results of a page and of the tour.
CACHE_WINS = Claim("the same tokens in less than two thirds of the time", _cache_wins)
