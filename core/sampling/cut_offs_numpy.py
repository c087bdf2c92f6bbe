"""The cut-offs of transformers in NumPy: top-k, top-p, min-p, typical-p, epsilon and eta, with equal results in a fraction of the time.

The compiled step has its own cut-offs (`backends/compiled/kernel_pick.py`); a GPU uses transformers' classes (`stages.py`).

Each function returns exactly what the transformers class in its docstring returns, or None if rounding might change it, because a border is
too close to a token. Then `core.sampling.stages_numpy` asks the class itself. A test compares both.

The error bound: torch adds up a float32 softmax in eight lanes. So the probabilities of n tokens are off by at most n / 8 x 6e-8, and the
ratio of two of them by a few times 1e-7. Excluded tokens add nothing, but they change which tokens share a lane. So the sums of a row
without them are off by as much again.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import torch

from core.rounding import CLOSE, CLOSE_NATS, FEW, LANES, ROUNDED, SURE
from core.sampling.score_row import MANY, Row, among_largest, largest

HEADS = (1024, 4096)  # numbers of likeliest tokens that nearly always reach top-p in a large vocabulary
DEPTHS = (np.float32(4.0), np.float32(8.0))  # nats below the likeliest token; in a smaller one, the tokens above nearly always do
LEAST_MIN_P = 1e-30  # for smaller ones float32 rounds probabilities to 0


def top_k(row: Row, setting: float) -> np.ndarray:
    """Return a mask [kept] as TopKLogitsWarper: all scores that are at least the k-th largest."""
    return row.scores >= largest(row.scores, min(int(setting), len(row.scores)))


def top_p(row: Row, setting: float) -> np.ndarray | None:
    """Return a mask [kept] as TopPLogitsWarper: a token is kept if the likelier ones weigh less than top_p; None if rounding decides.

    The likeliest tokens usually suffice. If their sums are too close to the border, a whole row is computed in the warper's own steps and
    so has its sums. It sorts only scores, not ids, which is twenty times as fast and differs only for equal scores. If tokens were excluded
    before, sums close to the border are undecided.
    """
    border = np.float32(1 - setting)
    whole = row.ids is None and row.kept == len(row.scores)
    least = _least_within(row, float(border)) if whole else None
    if least is not None:
        return row.scores >= least
    ordered = np.sort(row.scores)
    if row.ids is None or row.kept < len(ordered):
        with torch.inference_mode():
            inside = torch.from_numpy(ordered)[None].softmax(-1).cumsum(-1)[0].numpy()
    else:
        inside = np.exp(ordered - row.top).cumsum(dtype=np.float64)
        inside /= row.total
    first = min(int(inside.searchsorted(border, "right")), len(ordered) - 1)
    if row.ids is not None and np.abs(inside[max(first - 1, 0) : first + 1] - border).min() <= border * (len(ordered) + 64) * 2 * ROUNDED:
        return None
    return None if first and ordered[first - 1] == ordered[first] else row.scores >= ordered[first]


def _least_within(row: Row, border: float) -> np.float32 | None:
    """Return the score of the last token that top-p keeps, from the likeliest ones alone; None if rounding might change it.

    border: 1 - top_p, the weight of the excluded tokens. torch adds ascending weights in several lanes. Each weight takes part in as many
    roundings as its lane has likelier tokens, so the average rank bounds the error of the sum.
    """
    size = len(row.scores)
    for head in _heads(row):
        head.sort()
        weights = np.exp(head - row.top).astype(np.float64)
        inside = weights.cumsum()
        tail = max(0.0, row.total - float(inside[-1])) + row.total * SURE
        if tail > 4 * border * row.total:  # the border is not reached
            continue
        inside += row.total - inside[-1]
        inside /= row.total
        ranks = (float(weights.dot(np.arange(len(head), 0, -1))) + size * tail) / row.total
        off = SURE + border * (ranks / LANES + 64) * 2 * ROUNDED
        first = int(inside.searchsorted(border, "right"))
        if not 0 < first < len(head) or head[first - 1] == head[first]:
            continue
        if inside[first - 1] < border - off and inside[first] > border + off:
            least: np.float32 = head[first]
            return least
    return None


def _heads(row: Row) -> Iterator[np.ndarray]:
    """Yield the likeliest scores, unordered, fewer first; none if reading all scores is as fast."""
    if len(row.scores) <= FEW:
        return
    if len(row.scores) <= MANY:
        for depth in DEPTHS:
            yield row.scores[row.scores >= row.top - depth]
        return
    for count in HEADS:
        few = among_largest(row.scores, count)
        if few is None:
            return
        yield row.scores[few]


def min_p(row: Row, setting: float) -> np.ndarray | None:
    """Return a mask [kept] as MinPLogitsWarper: probability at least min_p times the likeliest token's; None if rounding decides."""
    if setting < LEAST_MIN_P:
        return None
    lowest = float(row.top) + math.log(setting) - 1 - abs(float(row.top)) * 1e-6  # below the border by more than any rounding
    near = (row.scores >= lowest).nonzero()[0]
    distance = row.scores[near] - row.top - np.float32(math.log(setting))
    if np.abs(distance).min() < CLOSE:
        return None
    mask = np.zeros(len(row.scores), dtype=np.bool_)
    mask[near] = distance > 0
    return mask


def typical_p(row: Row, setting: float) -> np.ndarray | None:
    """Return a mask [kept] as TypicalLogitsWarper: tokens whose surprise is closest to the mean, up to a probability; None if unsure."""
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
    return distances <= edge


def epsilon(row: Row, setting: float) -> np.ndarray | None:
    """Return a mask [kept] as EpsilonLogitsWarper: tokens with at least this probability, and the likeliest; None if rounding decides."""
    return _likely(row, math.log(setting), 0.0)


def eta(row: Row, setting: float) -> np.ndarray | None:
    """Return a mask [kept] as EtaLogitsWarper: at least min(e, sqrt(e) exp(-entropy)), and the likeliest; None if rounding decides."""
    return _likely(row, min(math.log(setting), 0.5 * math.log(setting) - row.entropy), row.entropy)


def _likely(row: Row, border: float, entropy: float) -> np.ndarray | None:
    """Return a mask [kept] of the tokens whose log-probability is at least `border`, which may depend on the entropy."""
    distance = row.scores - np.float32(row.log_sum + border)
    unsure = (len(row.scores) / LANES + 64) * 2 * ROUNDED * (1 + entropy) + 4 * ROUNDED * (abs(float(row.top)) + abs(row.log_sum))
    if (np.abs(distance) < unsure).any():
        return None
    mask: np.ndarray = (distance > 0) | (row.scores == row.top)
    return mask
