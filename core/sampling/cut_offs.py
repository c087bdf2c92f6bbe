"""The cut-offs of transformers in NumPy: top-k, top-p, min-p, typical-p, epsilon and eta, with equal results in a fraction of the time.

Each function returns the row that is left after the transformers class in its docstring, or None if rounding might change it, because a
border is too close to a token. Then `core.sampling.stages_numpy` asks the class itself. A test compares both.

The error bound: torch adds up a float32 softmax in eight lanes. So the probabilities of n tokens are off by at most n / 8 x 6e-8, and the
ratio of two of them by a few times 1e-7. Excluded tokens add nothing, but they change which tokens share a lane. So the sums of a row
without them are off by as much again.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import torch

from core.sampling.score_row import DEPTHS, FEW, Row, largest

CLOSE = 1e-5  # bound on a probability, relative
CLOSE_NATS = 1e-4  # bound on the distance of a surprise from the expected one; float32 logarithms reach 90
SUM_ERROR = 4e-6  # bound on a sum of probabilities, in any order
LANES = 4  # lanes of the narrowest vectors in which torch adds
ROUNDED = 3e-8  # bound per token on the relative difference of two sums of the same probabilities
LEAST_MIN_P = 1e-30  # for smaller ones float32 rounds probabilities to 0


def top_k(row: Row, setting: float) -> Row:
    """Return the row after TopKLogitsWarper: all scores that are at least the k-th largest.

    >>> row = Row.of(np.log(np.array([0.4, 0.3, 0.15, 0.1, 0.05], np.float32)))
    >>> top_k(row, 2).ids
    array([0, 1])
    """
    count = min(int(setting), len(row.scores))
    return row.above(largest(row.scores, count) if row.ids is None else float(row.scores[count - 1]))


def top_p(row: Row, setting: float) -> Row | None:
    """Return the row after TopPLogitsWarper: a token is kept if the likelier ones weigh less than top_p; None if rounding decides.

    The likeliest tokens usually suffice. If their sums are too close to the border, a whole vocabulary is computed in the warper's own
    steps and so has its sums. It sorts only scores, not ids, which is twice as fast and differs only for equal scores.

    The likelier tokens weigh 0, 0.4, 0.7, 0.85 and 0.95, and the first three of these are less than 0.8:

    >>> row = Row.of(np.log(np.array([0.4, 0.3, 0.15, 0.1, 0.05], np.float32)))
    >>> top_p(row, 0.8).ids
    array([0, 1, 2])
    """
    border = np.float32(1 - setting)
    if row.ids is None:
        least = _least_within(row, float(border))
        if least is not None:
            return row.above(least)
        ordered = np.sort(row.scores)
        with torch.inference_mode():
            inside = torch.from_numpy(ordered)[None].softmax(-1).cumsum(-1)[0].numpy()
    else:
        ordered = row.scores[::-1]
        inside = row.weights[::-1].cumsum(dtype=np.float64)
        inside /= row.total
    first = min(int(inside.searchsorted(border, "right")), len(ordered) - 1)
    if row.ids is not None and np.abs(inside[max(first - 1, 0) : first + 1] - border).min() <= border * (len(ordered) + 64) * 2 * ROUNDED:
        return None
    return None if first and ordered[first - 1] == ordered[first] else row.above(ordered[first])


def _least_within(row: Row, border: float) -> float | None:
    """Return the score of the last token that top-p keeps, from the likeliest ones alone; None if rounding might change it.

    border: 1 - top_p, the weight of the excluded tokens. torch adds ascending weights in several lanes. Each weight takes part in as many
    roundings as its lane has likelier tokens, so the average rank bounds the error of the sum.
    """
    size, total = len(row.scores), row.total
    for depth in DEPTHS:
        head = row.scores[row.scores >= row.top - depth]
        if size <= FEW or 2 * len(head) > size:  # sorting all scores is as fast
            return None
        head.sort()
        weights = np.exp(head - head.dtype.type(row.top)).astype(np.float64)
        inside = weights.cumsum()
        tail = max(0.0, total - float(inside[-1])) + total * SUM_ERROR
        if tail > 4 * border * total:  # the border is not reached
            continue
        inside += total - inside[-1]
        inside /= total
        ranks = (float(weights.dot(np.arange(len(head), 0, -1))) + size * tail) / total
        off = SUM_ERROR + border * (ranks / LANES + 64) * 2 * ROUNDED
        first = int(inside.searchsorted(border, "right"))
        if not 0 < first < len(head) or head[first - 1] == head[first]:
            continue
        if inside[first - 1] < border - off and inside[first] > border + off:
            return float(head[first])
    return None


def min_p(row: Row, setting: float) -> Row | None:
    """Return the row after MinPLogitsWarper: probability at least min_p times the likeliest token's; None if rounding decides.

    0.3 x 0.4 = 0.12 is the least probability:

    >>> row = Row.of(np.log(np.array([0.4, 0.3, 0.15, 0.1, 0.05], np.float32)))
    >>> min_p(row, 0.3).ids
    array([0, 1, 2])
    """
    if setting < LEAST_MIN_P:
        return None
    near = row.above(row.top + math.log(setting) - 1 - abs(row.top) * 1e-6)  # below the border by more than any rounding
    distance = near.below - np.float32(math.log(setting))
    return None if np.abs(distance).min() < CLOSE else near.only(distance > 0)


def typical_p(row: Row, setting: float) -> Row | None:
    """Return the row after TypicalLogitsWarper: tokens whose surprise is closest to the mean, up to a probability; None if unsure.

    The mean surprise is the entropy, 1.39 nats. The surprises 0.92, 1.20, 1.90, 2.30 and 3.00 are 0.48, 0.19, 0.51, 0.91 and 1.60 from it.
    Tokens 1 and 0 together reach 0.6:

    >>> row = Row.of(np.log(np.array([0.4, 0.3, 0.15, 0.1, 0.05], np.float32)))
    >>> typical_p(row, 0.6).ids
    array([0, 1])
    """
    if len(row.scores) > FEW or row.kept < len(row.scores):
        return None
    below = row.below
    distances = np.abs(below - np.float32(row.mean))
    order = distances.argsort()
    inside = np.exp(below)[order].cumsum(dtype=np.float64)
    border, close = setting * row.total, CLOSE * row.total
    last = int(inside[:-1].searchsorted(border))
    edge = distances[order[last]]
    if abs(inside[last] - border) < close or (last + 1 < len(order) and distances[order[last + 1]] - edge < CLOSE_NATS):
        return None
    if last and (border - inside[last - 1] < close or edge - distances[order[last - 1]] < CLOSE_NATS):
        return None
    return row.only(distances <= edge)


def epsilon(row: Row, setting: float) -> Row | None:
    """Return the row after EpsilonLogitsWarper: tokens with at least this probability, and the likeliest; None if rounding decides.

    >>> row = Row.of(np.log(np.array([0.4, 0.3, 0.15, 0.1, 0.05], np.float32)))
    >>> epsilon(row, 0.12).ids
    array([0, 1, 2])
    """
    return _likely(row, math.log(setting), 0.0)


def eta(row: Row, setting: float) -> Row | None:
    """Return the row after EtaLogitsWarper: at least min(e, sqrt(e) exp(-entropy)), and the likeliest; None if rounding decides.

    The entropy is 1.39 nats, so 0.2 gives min(0.2, 0.447 x 0.249) = 0.111:

    >>> row = Row.of(np.log(np.array([0.4, 0.3, 0.15, 0.1, 0.05], np.float32)))
    >>> eta(row, 0.2).ids
    array([0, 1, 2])
    """
    return _likely(row, min(math.log(setting), 0.5 * math.log(setting) - row.entropy), row.entropy)


def _likely(row: Row, border: float, entropy: float) -> Row | None:
    """Return the row of the tokens whose log-probability is at least `border`, which may depend on the entropy."""
    distance = row.scores - row.scores.dtype.type(row.log_sum + border)
    unsure = (len(row.scores) / LANES + 64) * 2 * ROUNDED * (1 + entropy) + 4 * ROUNDED * (abs(row.top) + abs(row.log_sum))
    if (np.abs(distance) < unsure).any():
        return None
    return row.only((distance > 0) | (row.scores == row.top))


CUTS: dict[str, Callable[[Row, float], Row | None]] = {
    "top-k": top_k,
    "top-p": top_p,
    "min-p": min_p,
    "typical-p": typical_p,
    "epsilon": epsilon,
    "eta": eta,
}
