"""The scores of one step between two sampling stages, with their sums, and the search for the largest ones."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.rounding import CHUNK
from core.sampling.observation import broken

MANY = 16384  # in longer arrays, the largest are searched in two rounds


@dataclass(slots=True)
class Row:
    """The scores after a stage, float32 [kept], and values computed from them.

    ids: int64 [kept], ascending; None for the whole vocabulary. total: the sum of the weights. mean: the average of `below` by weight;
    log_sum: of exp(score); entropy: all three in nats. kept: how many tokens can be chosen. top: the largest score.
    Raises BrokenLogits for scores with NaN or inf, and if no token is left.
    """

    scores: np.ndarray
    ids: np.ndarray | None
    total: float
    mean: float
    log_sum: float
    entropy: float
    kept: int
    top: np.float32

    @classmethod
    def of(cls, scores: np.ndarray, ids: np.ndarray | None, top: np.float32 | None = None) -> Row:
        """Return these scores with their sums. top: the largest of them, if known."""
        top = scores.max() if top is None else top
        total, moment = _sums(scores, top)
        return cls._measured(scores, ids, total, moment, top)

    @classmethod
    def changed(cls, row: Row, scores: np.ndarray, places: np.ndarray) -> Row:
        """Return scores that differ from a row's only at these indices, with their sums; larger indices are ignored."""
        top = scores.max()
        if len(scores) <= CHUNK or 16 * len(places) > len(scores) or top != row.top or row.kept < len(scores):
            return cls.of(scores, row.ids, top)
        places = np.unique(places[places < len(scores)])
        (old_total, old_moment), (new_total, new_moment) = (_sums(part[places], top) for part in (row.scores, scores))
        total = row.total - old_total + new_total
        if not 4 * total > row.total:  # a difference of nearly equal sums has large relative errors
            return cls.of(scores, row.ids, top)
        return cls._measured(scores, row.ids, total, row.total * row.mean - old_moment + new_moment, top)

    @classmethod
    def _measured(cls, scores: np.ndarray, ids: np.ndarray | None, total: float, moment: float, top: np.float32) -> Row:
        if not total > 0:  # also True for NaN
            raise broken()
        mean, kept = moment / total, len(scores)
        if math.isnan(mean):  # 0 x -inf: the model itself excludes tokens
            below = scores - top
            weights = np.exp(below)
            mean = float(weights.dot(np.where(weights > 0, below, 0))) / total
            kept = int(np.count_nonzero(scores > -math.inf))
        log_total = math.log(total)
        return cls(scores, ids, total, mean, float(top) + log_total, log_total - mean, kept, top)

    @property
    def below(self) -> np.ndarray:
        """The scores minus the largest one, float32 [kept]; computed at each call, because most callers need only a few."""
        return self.scores - self.top

    @property
    def weights(self) -> np.ndarray:
        """exp(below), float32 [kept]."""
        below = self.below
        return np.exp(below, out=below)


def _sums(scores: np.ndarray, top: np.float32) -> tuple[float, float]:
    """Return the sum of the weights exp(score - top), and of weight x (score - top).

    Works in blocks that fit into the processor's cache, because new arrays of a large vocabulary's size cost more than the computation.
    """
    if len(scores) <= CHUNK:
        below = scores - top
        weights = np.exp(below)
        return float(weights.sum()), float(weights.dot(below))
    total = moment = 0.0
    below_room, weights_room = np.empty(CHUNK, np.float32), np.empty(CHUNK, np.float32)
    for start in range(0, len(scores), CHUNK):
        part = scores[start : start + CHUNK]
        below, weights = below_room[: len(part)], weights_room[: len(part)]
        np.subtract(part, top, out=below)
        np.exp(below, out=weights)
        total += float(weights.sum())
        moment += float(weights.dot(below))
    return total, moment


def largest(scores: np.ndarray, count: int) -> float:
    """Return the count-th largest score of an array without NaN."""
    few = among_largest(scores, count)
    if few is not None:
        scores = scores[few]
    place = len(scores) - count
    return float(np.partition(scores, place)[place])


def among_largest(scores: np.ndarray, count: int) -> np.ndarray | None:
    """Return ascending indices that include the `count` largest scores and their equals; None if reading all scores is as fast."""
    if len(scores) <= MANY or 8 * count >= len(scores):
        return None
    groups = max(4 * count, 256)  # the count-th largest of their maxima is at most the count-th largest score
    maxima = scores[: len(scores) // groups * groups].reshape(-1, groups).max(0)
    maxima.partition(groups - count)
    return (scores >= maxima[groups - count]).nonzero()[0]
