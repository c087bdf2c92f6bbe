"""How far apart two texts are that left the same place: where they say the same, and how alike the odds are from which they said it.

Odds are compared where both texts have just said the same thing, wherever in each of them that is. Compared at the same step instead, two
texts that differ by one word more would look as if they had nothing in common.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache
from statistics import median
from typing import TYPE_CHECKING

import numpy as np
import torch

if TYPE_CHECKING:
    from core.record.step import TokenDistribution

KEPT_WHOLE = 8_192  # up to this vocabulary all odds of a step are kept for later comparison; beyond it, the likeliest KEPT
KEPT = 1_024
SHORTEST = 2  # tokens in a row that count as saying the same; a lone comma that both have means nothing


@dataclass(frozen=True, slots=True)
class Drift:
    """How far apart two answers of the model are: the Jensen-Shannon distance, from 0 (the same odds) to 1 (nothing in common).

    Exact (low == high) where the whole vocabulary is known; between two bounds where only the likeliest tokens are.
    """

    low: float
    high: float

    @property
    def exact(self) -> bool:
        """Whether it is known exactly."""
        return self.low == self.high

    @property
    def middle(self) -> float:
        """The value to draw."""
        return (self.low + self.high) / 2


@dataclass(frozen=True, slots=True)
class Odds:
    """What is kept of the odds of one step: token_ids int64 [kept], ascending, and their probabilities float32 [kept].

    rest: what all other tokens have together; most: what any single one of them can have at most.
    """

    token_ids: np.ndarray
    probabilities: np.ndarray
    rest: float
    most: float

    @classmethod
    def of(cls, logits: torch.Tensor) -> Odds:
        """The odds of these logits [vocabulary]: all of them, or the likeliest of a large vocabulary."""
        odds = torch.softmax(logits.detach().cpu().double(), 0)
        if len(odds) <= KEPT_WHOLE:
            return cls(_all(len(odds)), odds.float().numpy(), 0.0, 0.0)
        best = torch.topk(odds, KEPT)
        token_ids, order = torch.sort(best.indices)
        return cls(token_ids.numpy(), best.values[order].float().numpy(), max(0.0, 1.0 - float(best.values.sum())), float(best.values[-1]))

    @classmethod
    def listed(cls, distribution: TokenDistribution) -> Odds:
        """The odds of the candidates that a record lists."""
        order = np.argsort(distribution.token_ids)
        probabilities = np.asarray(distribution.probabilities[0], dtype=np.float32)
        likeliest = probabilities[distribution.ranks <= len(distribution.ranks)]
        ids = np.asarray(distribution.token_ids, dtype=np.int64)
        return cls(ids[order], probabilities[order], distribution.rest_model_probability, float(likeliest.min()))


@lru_cache(maxsize=8)
def _all(count: int) -> np.ndarray:
    """Every token id below this one; kept once for all steps."""
    return np.arange(count)


@dataclass(frozen=True, slots=True)
class Aligned:
    """A place where both texts stand behind the same words. left, right: the step of each that comes next; same: both then say the same."""

    left: int
    right: int
    drift: Drift
    same: bool


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two texts laid side by side. places: in the order of the texts, the fork first; shared: tokens both say, in rows of two or more.

    left, right: tokens of each, without those that were put there. behind_change: how far apart the odds are right behind those, before
    anything else differs; None until both have come that far.
    """

    places: tuple[Aligned, ...]
    shared: int
    left: int
    right: int
    behind_change: Drift | None

    @property
    def share(self) -> float:
        """The share of the shorter text that the other one says too, 0 to 1."""
        return self.shared / max(1, min(self.left, self.right))

    @property
    def distances(self) -> list[float]:
        """How far apart the odds are, place by place, behind the fork itself (where they are the same)."""
        return [place.drift.middle for place in self.places if place.left or place.right]

    @property
    def median(self) -> float | None:
        """The middle one of these distances, None without any."""
        return median(self.distances) if self.distances else None

    @property
    def widest(self) -> Aligned | None:
        """The place where the odds are furthest apart though the words before it are the same, None without any."""
        behind = [place for place in self.places if place.left or place.right]
        return max(behind, key=lambda place: place.drift.middle, default=None)


@dataclass(slots=True)
class Aligner:
    """Lays two growing texts side by side; a distance that was computed once is kept. left, right: tokens and odds so far, one per step.

    forced: how many tokens of each were put there; they are no agreement.
    """

    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    left_odds: list[Odds] = field(default_factory=list)
    right_odds: list[Odds] = field(default_factory=list)
    forced: tuple[int, int] = (0, 0)
    _known: dict[tuple[int, int], Drift] = field(default_factory=dict)
    _made: tuple[int, int, Alignment] | None = None

    def alignment(self) -> Alignment:
        """Both texts side by side as they are now."""
        if self._made and self._made[:2] == (len(self.left), len(self.right)):
            return self._made[2]
        one, other = self.forced
        blocks = SequenceMatcher(None, self.left[one:], self.right[other:], autojunk=False).get_matching_blocks()
        found = [(block.a + one, block.b + other, block.size) for block in blocks if block.size >= SHORTEST]
        places: dict[tuple[int, int], bool] = {(0, 0): False} if self.left and self.right else {}
        for a, b, size in found:
            # The odds of a row's first token stand behind different words; from the second one on, what was just said is the same.
            places |= {(a + step, b + step): True for step in range(1, size)}
            if a + size < len(self.left) and b + size < len(self.right):
                places[a + size, b + size] = False
        aligned = tuple(Aligned(a, b, self._drift(a, b), same) for (a, b), same in places.items())
        one, other = max(1, one), max(1, other)  # where nothing was put there, the first tokens themselves are the change
        changed = self._drift(one, other) if one < len(self.left) and other < len(self.right) else None
        made = Alignment(aligned, sum(size for *_, size in found), len(self.left[one:]), len(self.right[other:]), changed)
        self._made = (len(self.left), len(self.right), made)
        return made

    def _drift(self, a: int, b: int) -> Drift:
        known = self._known.get((a, b))
        if known is None:
            known = self._known[a, b] = bounds(self.left_odds[a], self.right_odds[b])
        return known


def bounds(one: Odds, other: Odds) -> Drift:
    """The Jensen-Shannon distance of two answers: the root of the divergence in bits (Lin 1991), exact where both are known whole.

    A token known on one side only has, on the other, at most what the last one known there has. From below all of those are taken as alike
    as that allows, and what neither side knows as the same; from above, as different as can be.
    """
    one, other = (Odds(odds.token_ids, odds.probabilities.astype(np.float64), odds.rest, odds.most) for odds in (one, other))
    _, here, there = np.intersect1d(one.token_ids, other.token_ids, assume_unique=True, return_indices=True)
    low = high = float(_parts(one.probabilities[here], other.probabilities[there]).sum())
    for mine, theirs, shared in ((one, other, here), (other, one, there)):
        own = np.delete(mine.probabilities, shared)
        total = np.array([own.sum()])
        low += float(_parts(total, np.minimum(total, min(theirs.rest, theirs.most * len(own)))).sum())
        furthest = np.maximum(_parts(own, np.zeros_like(own)), _parts(own, np.full_like(own, min(theirs.most, theirs.rest))))
        high += float(furthest.sum()) + theirs.rest / 2
    return Drift(_root(low), _root(high))


def _parts(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """What each token adds to the Jensen-Shannon divergence, in bits: the mean of p log2(p/m) and q log2(q/m) with m = (p + q) / 2."""
    m = (p + q) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        each = [np.where(x > 0, x * np.log2(x / m), 0.0) for x in (p, q)]
    return (each[0] + each[1]) / 2


def _root(divergence: float) -> float:
    return math.sqrt(min(1.0, max(0.0, divergence)))
