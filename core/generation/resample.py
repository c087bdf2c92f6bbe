"""Resampling one step many times: how often each token comes up, beside how often it should. The dice thrown a thousand times.

Every roll is the one that `Generation.step(attempt)` would make, and falls on the strip that the step itself recorded. Nothing is written:
the text does not know that it was asked.
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
    """rolls: float64 [times], the numbers drawn in [0, 1). token_ids: int64 [times], what each picked; -1 for an unlisted token."""

    rolls: np.ndarray
    token_ids: np.ndarray

    def counts(self) -> dict[int, int]:
        """How often each token came up; token id -> count."""
        ids, counts = np.unique(self.token_ids, return_counts=True)
        return dict(zip(ids.tolist(), counts.tolist(), strict=True))


def resample(distribution: TokenDistribution, times: int, first: int = 0) -> Tally:
    """Roll this step `times` times (0 to MOST_ROLLS), as the attempts first, first + 1, ... of its seed. Greedy takes its favourite."""
    times = max(0, min(int(times), MOST_ROLLS))
    rolls = _rolls(distribution.settings.seed, distribution.index, first, times)
    return Tally(rolls, sampled_ids(distribution, rolls))


@lru_cache(maxsize=64)
def _rolls(seed: int, index: int, first: int, times: int) -> np.ndarray:
    """The numbers thrown at this step; kept, since a page is drawn more often than its dice change."""
    rolls = np.array([roll(seed, index, attempt) for attempt in range(first, first + times)], dtype=np.float64)
    rolls.flags.writeable = False
    return rolls


def sampled_ids(distribution: TokenDistribution, rolls: np.ndarray) -> np.ndarray:
    """The token that each of these numbers in [0, 1) picks: the first whose cumulative probability exceeds it, largest first."""
    alive = np.flatnonzero(~np.isnan(distribution.dice_starts))
    order = alive[np.argsort(distribution.dice_starts[alive], kind="stable")]
    if not len(order):
        return np.full(len(rolls), -1, dtype=np.int64)
    starts = distribution.dice_starts[order]
    ends = starts + distribution.probabilities[-1, order]
    following = np.append(starts[1:], 1.0)
    ends = np.where(following - ends < SLIVER, following, ends)  # a gap as narrow as rounding belongs to the token before it
    place = np.maximum(np.searchsorted(starts, rolls, side="right") - 1, 0)
    return np.where((rolls >= starts[place]) & (rolls < ends[place]), distribution.token_ids[order][place], -1)
