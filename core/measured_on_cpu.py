"""The odds measured on a CPU, in NumPy: a dozen small operations on a few thousand numbers, where the calls cost more than the work."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import torch

if TYPE_CHECKING:
    from core.sampling import Pick, Scores

HEAD = 512  # the likeliest tokens; what they decide needs no look at the others
CLOSE = 1e-4  # a nucleus whose border is nearer than this to the next token is left to transformers' own arithmetic


def measure(seen: list[Scores], pick: Pick, greedy: bool, top_n: int) -> np.ndarray:
    """What is to be known of the stages and the pick, in one float64 row; see `core.sampling._unpack` for its order."""
    rows = [stage.scores[0].numpy() for stage in seen]
    ids = [None if stage.ids is None else stage.ids.numpy() for stage in seen]
    sums, entropies, kept = [], [], []
    with np.errstate(all="ignore"):  # infinities and NaN show in the sums, which are looked at
        for row in rows:
            top = row.max()
            below = row - top
            share = np.exp(below)
            weight = float(share.sum(dtype=np.float64))
            share /= np.float32(weight)
            mean = float(np.dot(share, below))
            if math.isnan(mean):  # 0 x -inf: tokens that the model itself rules out
                mean = float(np.dot(share, np.where(share > 0, below, 0)))
            sums.append(float(top) + math.log(weight) if weight > 0 else math.nan)
            entropies.append(math.log(weight) - mean if weight > 0 else math.nan)
            kept.append(len(row) if row.min() > -math.inf else int(np.count_nonzero(row > -math.inf)))
    total = float(share.sum(dtype=np.float64))
    if greedy:
        order, cumulative = np.array([share.argmax()]), np.ones(1)
    else:
        order, cumulative = _dice_order(share, total * (pick.roll or 0.0))
        cumulative /= total
    survivors = ids[-1]
    ordered = order if survivors is None else survivors[order]

    listed = torch.topk(seen[0].scores[0], min(top_n, len(rows[0]))).indices.numpy()
    if pick.forced is not None:
        listed = np.append(listed, pick.forced)
    elif pick.greedily:
        listed = np.append(listed, ordered[0])
    elif pick.roll is not None:
        listed = np.append(listed, ordered[min(int(np.searchsorted(cumulative, pick.roll, "right")), len(ordered) - 1)])
    better = np.count_nonzero(rows[0] > rows[0][listed[-1]])

    starts = np.full(len(listed), math.nan)
    by_id = np.argsort(ordered, kind="stable")
    place = by_id[np.minimum(np.searchsorted(ordered, listed, sorter=by_id), len(ordered) - 1)]
    there = ordered[place] == listed
    starts[there] = np.concatenate([[0.0], cumulative[:-1]])[place[there]]
    scores = [_gather(row, held, listed) for row, held in zip(rows, ids, strict=True)]
    return np.concatenate([listed, starts, *scores, sums, entropies, kept, [better]])


def _gather(row: np.ndarray, held: np.ndarray | None, wanted: np.ndarray) -> np.ndarray:
    """The scores of the wanted token ids; -inf where they are gone. held: the ids that are left, ascending."""
    if held is None:
        return row[wanted]
    place = np.minimum(np.searchsorted(held, wanted), len(held) - 1)
    return np.where(held[place] == wanted, row[place], -math.inf)


def _dice_order(shares: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray]:
    """Indices of the survivors, largest first (ties: lower id), and their cumulative probability in float64, at least as far as `reach`."""
    if len(shares) > 2 * HEAD:
        least = np.partition(shares, len(shares) - HEAD)[len(shares) - HEAD]
        head = np.flatnonzero(shares >= least)
        order = head[np.argsort(-shares[head], kind="stable")]
        cumulative = np.cumsum(shares[order], dtype=np.float64)
        if cumulative[-1] > reach:
            return order, cumulative
    order = np.argsort(-shares, kind="stable")
    return order, np.cumsum(shares[order], dtype=np.float64)


def nucleus(scores: torch.Tensor, top_p: float) -> torch.Tensor | None:
    """The indices, ascending, that top-p keeps of scores [1, n], found by looking at the head alone; None where that is not certain.

    transformers' TopPLogitsWarper sorts the whole vocabulary: it keeps a token if those strictly likelier weigh less than top_p. Where
    the border falls clearly between two tokens of the head, the head decides; else the warper itself is asked.
    """
    if scores.shape[-1] <= 2 * HEAD:
        return None
    head, indices = torch.topk(scores[0], HEAD)
    likelier = np.exp(head.numpy().astype(np.float64) - float(torch.logsumexp(scores[0], 0))).cumsum()
    count = 1 + int(np.count_nonzero(likelier[:-1] < top_p))
    if not count < HEAD or head[count - 1] == head[count]:
        return None
    borders = likelier[max(0, count - 2) : count]
    return None if np.abs(borders - top_p).min() < CLOSE else torch.sort(indices[:count]).values
