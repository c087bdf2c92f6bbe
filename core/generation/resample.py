"""Resampling one step many times: how often each token is selected, compared with its probability.

Each roll is the one of `Generation.step(attempt)`, applied to the strip that the step recorded. The run does not change.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from core.record.step import TokenDistribution
from core.record.tables import SLIVER
from core.sampling.dice import roll

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
