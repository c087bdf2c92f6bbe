"""One step again: rolled many times, or under two settings with one pass of the model and one roll. The run does not change.

Each roll is the one of `Generation.step(attempt)`, applied to the strip that the step recorded.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.generation.generation import Generation
from core.record.step import Step, TokenDistribution
from core.record.step_rows import SLIVER
from core.sampling import dice, observe_stages
from core.sampling.dice import roll
from core.sampling.observe_stages import sampling_probabilities
from core.sampling.settings import SamplingSettings
from core.sources.source import Forward

MOST_ROLLS = 10_000


@dataclass(frozen=True, slots=True)
class Tally:
    """rolls: float64 [times], in [0, 1). token_ids: int64 [times], the token that each selected; -1 for an unlisted token."""

    rolls: np.ndarray
    token_ids: np.ndarray


def resample(distribution: TokenDistribution, times: int, first: int = 0) -> Tally:
    """Roll this step `times` times (0 to MOST_ROLLS) as attempts first, first + 1, ... of its seed. Greedy always selects the likeliest."""
    times = max(0, min(int(times), MOST_ROLLS))
    rolls = _rolls(distribution.settings.seed, distribution.index, first, times)
    return Tally(rolls, sampled_ids(distribution, rolls))


@lru_cache(maxsize=64)
def _rolls(seed: int, index: int, first: int, times: int) -> np.ndarray:
    """Return the rolls of this step. Cached, because a page is drawn more often than its rolls change."""
    rolls = np.array([roll(seed, index, attempt) for attempt in range(first, first + times)], dtype=np.float64)
    rolls.flags.writeable = False
    return rolls


def sampled_ids(distribution: TokenDistribution, rolls: np.ndarray) -> np.ndarray:
    """Return the token that each roll in [0, 1) selects: the first whose cumulative probability exceeds it, likeliest first."""
    alive = np.flatnonzero(~np.isnan(distribution.dice_starts))
    order = alive[np.argsort(distribution.dice_starts[alive], kind="stable")]
    if not len(order):
        return np.full(len(rolls), -1, dtype=np.int64)
    starts = distribution.dice_starts[order]
    ends = starts + distribution.probabilities[-1, order]
    following = np.append(starts[1:], 1.0)
    ends = np.where(following - ends < SLIVER, following, ends)  # a gap within rounding belongs to the token before it
    index = np.maximum(np.searchsorted(starts, rolls, side="right") - 1, 0)
    return np.where((rolls >= starts[index]) & (rolls < ends[index]), distribution.token_ids[order][index], -1)


@dataclass(frozen=True, slots=True)
class TwoSettings:
    """first, second: the step as each settings would make it; they are not part of the run. Both have the same roll.

    moved: probability that is distributed otherwise, 0 to 1 (total variation). divergence: Jensen-Shannon divergence in bits, 0 to 1.
    exact: False if a server's short list makes both numbers estimates.
    """

    first: Step
    second: Step
    moved: float
    divergence: float
    exact: bool


def two_settings(run: Generation, distribution: TokenDistribution, first: SamplingSettings, second: SamplingSettings) -> TwoSettings:
    """Return a step of the current path, or the next one, under two settings. The model's pass is shared; the run does not change.

    The roll is the one that this step had, with the seed of the run's settings for a step without dice. Raises what `next_distribution`
    raises, and BadSetting.
    """
    with run.turn:
        forward = run.forward_before(distribution.index)
        attempt = distribution.attempt if isinstance(distribution, Step) else 0
        own_roll = distribution.roll if isinstance(distribution, Step) else None
        roll = dice.roll(run.settings.seed, distribution.index, attempt) if own_roll is None else own_roll
        first_step, second_step = (_step(run, forward, distribution, settings, roll, attempt) for settings in (first, second))
        p, q = (sampling_probabilities(forward.logits.values, asked, run.history(asked, distribution.index)) for asked in (first, second))
    return TwoSettings(first_step, second_step, float(np.abs(p - q).sum()) / 2, jensen_shannon(p, q), forward.logits.top_logprobs is None)


def _step(
    run: Generation, forward: Forward, distribution: TokenDistribution, settings: SamplingSettings, roll: float, attempt: int
) -> Step:
    greedy, logits = settings.greedy, forward.logits
    text = run.history(settings, distribution.index)
    observation = observe_stages.observe(
        logits.values, settings, text, logits.listing(run.top_n), roll=None if greedy else roll, greedily=greedy
    )
    return Step(
        index=distribution.index,
        position=distribution.position,
        settings=settings,
        forward=forward.measured,
        vocabulary=run.vocabulary,
        **logits.fields(observation),
        text=run.vocabulary.token(observation.chosen).text,
        chosen_by="greedy" if greedy else "sampled",
        roll=None if greedy else roll,
        attempt=0 if greedy else attempt,
        before=run.path[distribution.index - 1] if distribution.index else run.prompt,
    )


def jensen_shannon(p: np.ndarray, q: np.ndarray) -> float:
    """Return the Jensen-Shannon divergence in bits of two distributions, float64 [vocabulary]: 0 if equal, 1 if they share no token.

    >>> jensen_shannon(np.array([0.5, 0.5, 0.0]), np.array([0.0, 0.0, 1.0]))
    1.0
    """
    m = (p + q) / 2
    return float(sum((x[x > 0] * np.log2(x[x > 0] / m[x > 0])).sum() for x in (p, q)) / 2)
