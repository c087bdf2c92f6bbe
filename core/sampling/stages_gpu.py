"""Stage-by-stage distributions on a GPU: all data stays on the device until one small copy at the end.

So Python never branches on a number of the device, and never uses one as an index: `tensor[number]` would copy the number to the host,
`tensor[numbers]` does not. All stages are measured together, because launching an operation costs a GPU more than computing it.
"""

from __future__ import annotations

import math

import numpy as np
import torch

from core.sampling.observation import Scores, Selection


def measure(seen: list[Scores], selection: Selection, greedy: bool, top_n: int, also: int = 0) -> np.ndarray:
    """Return the measurements of all stages and the pick as one float64 row; `core.sampling.stages._unpack` lists its order.

    also: how many of the likeliest tokens after the last stage are listed behind the model's.
    """
    scores = torch.cat([stage.scores for stage in seen])
    logits = scores[0]
    sums = torch.logsumexp(scores, 1)
    shares = torch.exp(scores - sums[:, None])
    final = shares[-1]
    listed = torch.topk(logits, min(top_n, len(logits))).indices
    best = torch.argmax(final)[None]
    order = best if greedy else torch.sort(final, descending=True, stable=True).indices
    reached = torch.cumsum(final[order], 0, dtype=torch.float64)
    reached /= reached[-1:].clone()

    listed = torch.cat([listed, order[:also]])
    if selection.forced is not None:
        listed = torch.cat([listed, listed.new_full((1,), selection.forced)])
    elif selection.greedily:
        listed = torch.cat([listed, best])
    elif selection.roll is not None:
        above = torch.searchsorted(reached, reached.new_full((1,), selection.roll), right=True).clamp_(max=len(order) - 1)
        listed = torch.cat([listed, order[above]])

    begins = torch.full_like(logits, math.nan, dtype=torch.float64)  # where each token begins on the strip of the dice
    begins[order] = torch.cat([reached.new_zeros(1), reached[:-1]])
    parts = (
        listed,
        begins[listed],
        scores[:, listed],
        sums,
        torch.special.entr(shares).sum(1),
        (scores > -math.inf).sum(1),
        (logits > logits[listed[min(top_n, len(logits)) :], None]).sum(1),
    )
    return torch.cat([part.to(torch.float64).reshape(-1) for part in parts]).cpu().numpy()
