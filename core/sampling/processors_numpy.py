"""Logits processors in NumPy, each held equal to the transformers class it names, in a fraction of the time.

transformers' own classes decide what is right. Every function here gives exactly what the class it names gives, or None where a border
runs so close to a token that rounding might decide; then the class itself is asked (`core.sampling.cpu`). A test holds them equal.

How close is close: torch adds up a float32 softmax eight lanes wide, so the probabilities of n tokens are off by at most n / 8 x 6e-8, and
the ratio of two of them by a few times 1e-7. Tokens that are gone add nothing, but they decide who shares a lane with whom: a row without
them has sums that are off by as much again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import torch

from core.sampling.observation import broken

FEW = 1024  # so few scores are sorted with their places; of more, as many as needed
MANY = 16384  # of more, the largest are sought in two rounds
CLOSE = 1e-5  # relative, to a probability
CLOSE_NATS = 1e-4  # to how far a token's surprise is from the expected one; that takes float32 logarithms of up to 90
ROUNDED = 3e-8  # per token: by so much two ways of adding up the same probabilities differ, relatively
LEAST_MIN_P = 1e-30  # smaller ones meet shares that float32 rounds to nothing


@dataclass(slots=True)
class Row:
    """The scores after a stage, float32 [kept], and what follows from them.

    ids: int64 [kept], ascending; None while the whole vocabulary is there. below: scores minus the largest one; weights: exp(below);
    total: the sum of the weights. mean: the average of `below` by weight; log_sum: of exp(score); entropy: all three in nats.
    kept: how many can still be picked. top: the largest score. Raises BrokenLogits for scores with NaN or inf, and where no token is left.
    """

    scores: np.ndarray
    ids: np.ndarray | None
    below: np.ndarray
    weights: np.ndarray
    total: float
    mean: float
    log_sum: float
    entropy: float
    kept: int
    top: np.float32

    @classmethod
    def of(cls, scores: np.ndarray, ids: np.ndarray | None, top: np.float32 | None = None) -> Row:
        """Measure these scores. top: the largest of them, where it is known."""
        top = scores.max() if top is None else top
        below = scores - top
        return cls._measured(scores, ids, below, np.exp(below), top)

    @classmethod
    def changed(cls, row: Row, scores: np.ndarray, places: np.ndarray) -> Row:
        """Measure scores that differ from a row's at these places only; places beyond the row are nobody's."""
        top = scores.max()
        if top != row.top:
            return cls.of(scores, row.ids, top)
        places = places[places < len(scores)]
        below, weights = row.below.copy(), row.weights.copy()
        below[places] = scores[places] - top
        weights[places] = np.exp(below[places])
        return cls._measured(scores, row.ids, below, weights, top)

    @classmethod
    def _measured(cls, scores: np.ndarray, ids: np.ndarray | None, below: np.ndarray, weights: np.ndarray, top: np.float32) -> Row:
        total = float(weights.sum())
        if not total > 0:  # nothing compares with NaN
            raise broken()
        mean, kept = float(weights.dot(below)) / total, len(scores)
        if math.isnan(mean):  # 0 x -inf: tokens that the model itself rules out
            mean = float(weights.dot(np.where(weights > 0, below, 0))) / total
            kept = int(np.count_nonzero(scores > -math.inf))
        log_total = math.log(total)
        return cls(scores, ids, below, weights, total, mean, float(top) + log_total, log_total - mean, kept, top)


def repetition_penalty(scores: np.ndarray, penalty: float, previous_ids: np.ndarray) -> np.ndarray:
    """RepetitionPenaltyLogitsProcessor: scores of tokens already in the text are divided or, below zero, multiplied by the penalty."""
    try:
        old = scores[previous_ids]
    except IndexError:  # there are models whose prompts may hold more tokens than they can answer
        previous_ids = previous_ids[previous_ids < len(scores)]
        old = scores[previous_ids]
    changed, factor = scores.copy(), np.float32(penalty)
    changed[previous_ids] = np.where(old < 0, old * factor, old / factor)
    return changed


def top_k(row: Row, setting: float) -> np.ndarray:
    """TopKLogitsWarper: all scores stay that are not below the k-th largest; a mask [kept]."""
    return row.scores >= largest(row.scores, min(int(setting), len(row.scores)))


def top_p(row: Row, setting: float) -> np.ndarray | None:
    """TopPLogitsWarper: a token stays if those likelier than it weigh less than top_p; a mask [kept].

    Of the whole vocabulary the warper's own steps, which give its very sums, but for its sorting the ids along, which takes twenty times as
    long and only matters among equals. Where tokens are gone, sums that come close to the border leave it open.
    """
    ordered = np.sort(row.scores)
    border = np.float32(1 - setting)
    if row.ids is None or row.kept < len(ordered):
        with torch.inference_mode():
            inside = torch.from_numpy(ordered)[None].softmax(-1).cumsum(-1)[0].numpy()
    else:
        inside = np.sort(row.weights).cumsum(dtype=np.float64)
        inside /= row.total
    first = min(int(inside.searchsorted(border, "right")), len(ordered) - 1)
    if row.ids is not None and np.abs(inside[max(first - 1, 0) : first + 1] - border).min() <= border * (len(ordered) + 64) * 2 * ROUNDED:
        return None
    return None if first and ordered[first - 1] == ordered[first] else row.scores >= ordered[first]


def min_p(row: Row, setting: float) -> np.ndarray | None:
    """MinPLogitsWarper: a token stays if its probability is at least min_p times the favourite's; a mask [kept]."""
    if setting < LEAST_MIN_P:
        return None
    distance = row.below - np.float32(math.log(setting))
    return None if np.abs(distance).min() < CLOSE else distance > 0


def typical_p(row: Row, setting: float) -> np.ndarray | None:
    """TypicalLogitsWarper: the tokens stay whose surprise is closest to the expected one, up to this probability; a mask [kept]."""
    if len(row.scores) > FEW or row.kept < len(row.scores):
        return None
    distances = np.abs(row.below - np.float32(row.mean))
    order = distances.argsort()
    inside = row.weights[order].cumsum(dtype=np.float64)
    border, close = setting * row.total, CLOSE * row.total
    last = int(inside[:-1].searchsorted(border))
    edge = distances[order[last]]
    if abs(inside[last] - border) < close or (last + 1 < len(order) and distances[order[last + 1]] - edge < CLOSE_NATS):
        return None
    if last and (border - inside[last - 1] < close or edge - distances[order[last - 1]] < CLOSE_NATS):
        return None
    return distances <= edge


def largest(scores: np.ndarray, count: int) -> float:
    """The count-th largest score, NaN aside."""
    if len(scores) > MANY and 8 * count < len(scores):
        groups = max(4 * count, 256)  # the count-th largest of their maxima cannot be larger than what is sought
        maxima = scores[: len(scores) // groups * groups].reshape(-1, groups).max(0)
        maxima.partition(groups - count)
        scores = scores[scores >= maxima[groups - count]]
    place = len(scores) - count
    return float(np.partition(scores, place)[place])
