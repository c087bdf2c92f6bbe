"""The scores of the tokens after one stage, on the host: of the whole vocabulary, or of the few tokens that are left."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from core.errors import BadSetting, BrokenLogits

DEPTHS = (4.0, 8.0, 12.0)  # nats below the likeliest token; the tokens above nearly always reach top-p, and the roll falls on one of them
FEW = 1024  # up to this many tokens are stored as a sorted list
CHUNK = 16384  # scores per block of a sum
FLOOR = np.float32(-1000.0)  # nats below the largest score; the weight of such a score is 0


@dataclass(slots=True)
class Row:
    """The scores after a stage, of all tokens or of the few that are left.

    scores: float32 [vocabulary], -inf for excluded tokens; or float32 [kept], largest first, if at most FEW tokens are left. ids: int64
    [kept], the tokens of such a list, equal scores by id; None for the whole vocabulary. top: the largest score. kept: how many tokens can
    be chosen. The sums are computed when they are first read, because a token can be selected without most of them. After a large logit
    bias the scores are float64: see `LogitBias`.
    """

    scores: np.ndarray
    ids: np.ndarray | None
    top: float
    kept: int
    _sums: tuple[float, float] | None = None

    @classmethod
    def of(cls, scores: np.ndarray, ids: np.ndarray | None = None, stage: str = "") -> Row:
        """Return the row of these scores after this stage ("": the model). ids: int64 [len(scores)], ascending; None for the vocabulary.

        Raises BrokenLogits for scores with NaN or inf, or if the model excludes every token; BadSetting if the stage excludes the last one.
        """
        top, count = float(scores.max()), len(scores)
        if top == -math.inf and stage:
            raise nothing_left(stage)
        if not math.isfinite(top):
            raise broken()
        if scores.min() == -math.inf:
            alive = scores > -math.inf
            count = int(np.count_nonzero(alive))
            if ids is not None or count <= FEW:
                return cls.few(scores[alive], alive.nonzero()[0] if ids is None else ids[alive])
        return cls(scores, None, top, count) if ids is None else cls.few(scores, ids)

    @classmethod
    def few(cls, scores: np.ndarray, ids: np.ndarray) -> Row:
        """Return the row of these tokens alone. scores: float32 [kept], finite; ids: int64 [kept], ascending."""
        order = (-scores).argsort(kind="stable")
        scores = scores[order]
        return cls(scores, ids[order], float(scores[0]), len(scores))

    def only(self, mask: np.ndarray) -> Row:
        """Return the row without the tokens whose mask, bool [len(scores)], is False. At least one token must be left."""
        if self.kept < len(self.scores):
            mask = mask & (self.scores > -math.inf)
        count = int(np.count_nonzero(mask))
        if count == self.kept:
            return self
        if self.ids is not None:
            scores = self.scores[mask]
            return Row(scores, self.ids[mask], float(scores[0]), count)
        if count <= FEW:
            ids = mask.nonzero()[0]
            return Row.few(self.scores[ids], ids)
        scores = np.where(mask, self.scores, np.float32(-math.inf))
        return Row(scores, None, float(scores.max()), count)

    def above(self, least: float) -> Row:
        """Return the row of the tokens whose score is at least this, which the largest one must be."""
        return self.only(self.scores >= least)

    def whole(self, size: int) -> np.ndarray:
        """Return the scores of the whole vocabulary, [size], with -inf for tokens that are not in the row."""
        if self.ids is None:
            return self.scores
        scores = np.full(size, -math.inf, self.scores.dtype)
        scores[self.ids] = self.scores
        return scores

    @property
    def below(self) -> np.ndarray:
        """The scores minus the largest one, float32 [len(scores)]."""
        return self.scores - self.scores.dtype.type(self.top)

    @property
    def weights(self) -> np.ndarray:
        """exp(below), float32 [len(scores)]."""
        below = self.below
        return np.exp(below, out=below)

    @property
    def total(self) -> float:
        """The sum of the weights."""
        if self._sums is None:
            self._sums = _sums(self.scores, self.scores.dtype.type(self.top))
        return self._sums[0]

    @property
    def mean(self) -> float:
        """The average of `below` by weight."""
        total = self.total
        assert self._sums is not None
        return self._sums[1] / total

    @property
    def log_sum(self) -> float:
        """The logarithm of the sum of exp(score)."""
        return self.top + math.log(self.total)

    @property
    def entropy(self) -> float:
        """The entropy in nats."""
        return math.log(self.total) - self.mean


def _sums(scores: np.ndarray, top: np.floating) -> tuple[float, float]:
    """Return the sum of the weights exp(score - top), and of weight x (score - top).

    Works in blocks that fit into the processor's cache, because new arrays of a large vocabulary's size cost more than the computation.
    """
    total = moment = 0.0
    for start in range(0, len(scores), CHUNK):
        below = scores[start : start + CHUNK] - top
        weights = np.exp(below)
        total += float(weights.sum())
        part = float(weights.dot(below))
        moment += float(weights.dot(np.maximum(below, FLOOR))) if math.isnan(part) else part  # 0 x -inf: excluded tokens
    return total, moment


def largest(scores: np.ndarray, count: int) -> float:
    """Return the count-th largest score of an array without NaN."""
    scores = scores[among_largest(scores, count)]
    index = len(scores) - count
    return float(np.partition(scores, index)[index])


def among_largest(scores: np.ndarray, count: int) -> np.ndarray | slice:
    """Return ascending indices that include the `count` largest scores and their equals; all of them if reading all is as fast."""
    groups = max(4 * count, 256)  # the count-th largest of their maxima is at most the count-th largest score
    if 4 * groups > len(scores):
        return slice(None)
    maxima = scores[: len(scores) // groups * groups].reshape(-1, groups).max(0)
    maxima.partition(groups - count)
    return (scores >= maxima[groups - count]).nonzero()[0]


def likeliest(scores: np.ndarray, count: int) -> np.ndarray:
    """Return the indices of the `count` largest scores, int64 [count], largest first, equal ones by index."""
    ids = among_largest(scores, count)
    if isinstance(ids, slice):
        return (-scores).argsort(kind="stable")[:count]
    return ids[(-scores[ids]).argsort(kind="stable")[:count]]


def broken() -> BrokenLogits:
    """Return the error for NaN logits."""
    return BrokenLogits("The model returned NaN logits, so there are no probabilities. Try another model or precision.")


def nothing_left(stage: str) -> BadSetting:
    """Return the error for settings that exclude every token; stage: the name of the one that excluded the last."""
    return BadSetting("The settings leave no token to choose: {stage} excludes the last one. Weaken or remove it.", stage=stage)
