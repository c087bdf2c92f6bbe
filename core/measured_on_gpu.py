"""The odds measured where the logits are: on a GPU nothing leaves the device until one small copy at the end."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import torch

if TYPE_CHECKING:
    from core.sampling import Pick, Scores


def measure(seen: list[Scores], pick: Pick, greedy: bool, top_n: int) -> np.ndarray:
    """What is to be known of the stages and the pick, in one float64 row; see `core.sampling._unpack` for its order."""
    logits = seen[0].scores[0]
    sums = [torch.logsumexp(stage.scores[0], 0) for stage in seen]
    shares = [torch.exp(stage.scores[0] - total) for stage, total in zip(seen, sums, strict=True)]
    final = shares[-1]
    total = final.sum(dtype=torch.float64)
    if greedy:
        order = torch.argmax(final)[None]
        cumulative = torch.ones(1, dtype=torch.float64, device=logits.device)
    else:
        order = torch.sort(final, descending=True, stable=True).indices
        cumulative = torch.cumsum(final[order], 0, dtype=torch.float64) / total

    listed = torch.topk(logits, min(top_n, len(logits))).indices
    if pick.forced is not None:
        listed = torch.cat([listed, listed.new_full((1,), pick.forced)])
    elif pick.greedily:
        listed = torch.cat([listed, torch.argmax(final)[None]])
    elif pick.roll is not None:
        above = torch.searchsorted(cumulative, cumulative.new_full((), pick.roll), right=True).clamp_(max=len(cumulative) - 1)
        listed = torch.cat([listed, order[above][None]])

    same = order[:, None] == listed[None]
    starts = torch.where(same.any(0), torch.cat([cumulative.new_zeros(1), cumulative[:-1]])[same.to(torch.int8).argmax(0)], math.nan)
    parts = (
        listed,
        starts,
        torch.stack([stage.scores[0, listed] for stage in seen]),
        torch.stack(sums),
        torch.stack([torch.special.entr(share).sum() for share in shares]),
        torch.stack([(stage.scores > -math.inf).sum() for stage in seen]),
        (logits > logits[listed[-1]]).sum(),
    )
    return torch.cat([part.to(torch.float64).reshape(-1) for part in parts]).cpu().numpy()
