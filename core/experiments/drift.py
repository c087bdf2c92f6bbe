"""Measure how far two branches of one fork drift apart: their shared tokens, and the distance between their next-token probabilities.

Probabilities are compared after the same words, even if these are at different steps of the two texts. Compared at equal steps, two texts
that differ by one inserted word would seem to have nothing in common.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from statistics import median

import numpy as np
import torch

from core.record.step import TokenDistribution

KEPT_WHOLE = 8_192  # up to this vocabulary size all probabilities of a step are kept; above it, only the KEPT likeliest
KEPT = 1_024
SHORTEST = 2  # equal tokens in a row that count as shared; a single shared comma would mean nothing


@dataclass(frozen=True, slots=True)
class Drift:
    """The Jensen-Shannon distance of two next-token distributions, from 0 (equal) to 1 (no token in common).

    Exact (low == high) if the whole vocabulary is known. If only the likeliest tokens are known, low and high are bounds.
    """

    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Return whether the distance is known exactly."""
        return self.low == self.high

    @property
    def middle(self) -> float:
        """Return the middle of the two bounds, the value that charts draw."""
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class TopProbabilities:
    """The kept probabilities of one step: token_ids int64 [kept], ascending, and their probabilities float32 [kept].

    others: total probability of all other tokens; most: upper bound for the probability of each of them.
    """

    token_ids: np.ndarray
    probabilities: np.ndarray
    others: float
    most: float

    @classmethod
    def of(cls, logits: torch.Tensor) -> TopProbabilities:
        """Return the probabilities of these logits [vocabulary]: all of them, or the KEPT likeliest of a large vocabulary."""
        top = torch.softmax(logits.detach().cpu().double(), 0)
        if len(top) <= KEPT_WHOLE:
            return cls(_all(len(top)), top.float().numpy(), 0.0, 0.0)
        best = torch.topk(top, KEPT)
        token_ids, order = torch.sort(best.indices)
        return cls(token_ids.numpy(), best.values[order].float().numpy(), max(0.0, 1.0 - float(best.values.sum())), float(best.values[-1]))

    @classmethod
    def listed(cls, distribution: TokenDistribution) -> TopProbabilities:
        """Return the model's probabilities of the candidates that a record lists."""
        order = np.argsort(distribution.token_ids)
        probabilities = np.asarray(distribution.probabilities[0], dtype=np.float32)
        likeliest = probabilities[distribution.ranks == np.arange(1, len(probabilities) + 1)]  # those behind a gap follow the constraint
        ids = np.asarray(distribution.token_ids, dtype=np.int64)
        return cls(ids[order], probabilities[order], distribution.rest_model_probability, float(likeliest.min()))


@lru_cache(maxsize=8)
def _all(count: int) -> np.ndarray:
    """Return all token ids below `count`; cached, so that all steps share one array."""
    return np.arange(count)


@dataclass(frozen=True, slots=True)
class Aligned:
    """A place where both texts follow the same words. left, right: index of the next step of each; same: whether both choose one token."""

    left: int
    right: int
    drift: Drift
    same: bool


@dataclass(frozen=True, slots=True)
class Alignment:
    """The alignment of two texts. places: in text order, the fork first; shared: tokens in both, counted in rows of two or more.

    left, right: tokens of each text without the forced ones. behind_change: distance of the probabilities directly after the forced
    tokens, before anything else differs; None until both texts are that long.
    """

    places: tuple[Aligned, ...]
    shared: int
    left: int
    right: int
    behind_change: Drift | None

    @property
    def share(self) -> float:
        """Return the fraction of the shorter text that is shared, 0 to 1."""
        return self.shared / max(1, min(self.left, self.right))

    @property
    def distances(self) -> list[float]:
        """Return the distance of the probabilities at each place after the fork. At the fork itself they are equal."""
        return [aligned.drift.middle for aligned in self.places if aligned.left or aligned.right]

    @property
    def median(self) -> float | None:
        """Return the median of these distances, None without any."""
        return median(self.distances) if self.distances else None

    @property
    def widest(self) -> Aligned | None:
        """Return the place after the fork with the largest distance, None without any."""
        after_fork = [aligned for aligned in self.places if aligned.left or aligned.right]
        return max(after_fork, key=lambda aligned: aligned.drift.middle, default=None)


@dataclass(slots=True)
class Aligner:
    """Aligns two growing texts and caches each computed distance. left, right: token ids so far; left_odds, right_odds: one per step.

    forced: number of forced tokens of each text; they never count as shared.
    """

    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    left_top: list[TopProbabilities] = field(default_factory=list)
    right_top: list[TopProbabilities] = field(default_factory=list)
    forced: tuple[int, int] = (0, 0)
    _known: dict[tuple[int, int], Drift] = field(default_factory=dict)
    _made: tuple[int, int, Alignment] | None = None

    def alignment(self) -> Alignment:
        """Return the alignment of both texts so far."""
        if self._made and self._made[:2] == (len(self.left), len(self.right)):
            return self._made[2]
        left_start, right_start = self.forced
        blocks = SequenceMatcher(None, self.left[left_start:], self.right[right_start:], autojunk=False).get_matching_blocks()
        shared = [(block.a + left_start, block.b + right_start, block.size) for block in blocks if block.size >= SHORTEST]
        places: dict[tuple[int, int], bool] = {(0, 0): False} if self.left and self.right else {}
        for a, b, size in shared:
            # The first token of a row follows different words in the two texts; from the second one on, the words before are equal.
            places |= {(a + step, b + step): True for step in range(1, size)}
            if a + size < len(self.left) and b + size < len(self.right):
                places[a + size, b + size] = False
        aligned = tuple(Aligned(a, b, self._drift(a, b), same) for (a, b), same in places.items())
        left_start, right_start = (
            max(1, left_start),
            max(1, right_start),
        )  # without forced tokens, the first token of each text is the change
        changed = self._drift(left_start, right_start) if left_start < len(self.left) and right_start < len(self.right) else None
        alignment = Alignment(
            aligned, sum(size for *_, size in shared), len(self.left[left_start:]), len(self.right[right_start:]), changed
        )
        self._made = (len(self.left), len(self.right), alignment)
        return alignment

    def _drift(self, a: int, b: int) -> Drift:
        drift = self._known.get((a, b))
        if drift is None:
            drift = self._known[a, b] = bounds(self.left_top[a], self.right_top[b])
        return drift


def bounds(left: TopProbabilities, right: TopProbabilities) -> Drift:
    """Return the Jensen-Shannon distance: the root of the divergence in bits (Lin 1991), exact if both sides are known completely.

    A token known on one side only has, on the other, at most the smallest known probability there. The lower bound takes these tokens as
    equal as that allows, and tokens unknown on both sides as equal. The upper bound takes all of them as different as possible.
    """
    left, right = (TopProbabilities(top.token_ids, top.probabilities.astype(np.float64), top.others, top.most) for top in (left, right))
    _, in_left, in_right = np.intersect1d(left.token_ids, right.token_ids, assume_unique=True, return_indices=True)
    low = high = float(_parts(left.probabilities[in_left], right.probabilities[in_right]).sum())
    for mine, theirs, shared in ((left, right, in_left), (right, left, in_right)):
        own = np.delete(mine.probabilities, shared)
        total = np.array([own.sum()])
        low += float(_parts(total, np.minimum(total, min(theirs.others, theirs.most * len(own)))).sum())
        furthest = np.maximum(_parts(own, np.zeros_like(own)), _parts(own, np.full_like(own, min(theirs.most, theirs.others))))
        high += float(furthest.sum()) + theirs.others / 2
    return Drift(_root(low), _root(high))


def _parts(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Return each token's term of the Jensen-Shannon divergence, in bits: the mean of p log2(p/m) and q log2(q/m) with m = (p + q) / 2."""
    m = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        each = [np.where(x > 0, x * np.log2(x / m), 0.0) for x in (p, q)]
    return (each[0] + each[1]) / 2


def _root(divergence: float) -> float:
    return math.sqrt(min(1.0, max(0.0, divergence)))
