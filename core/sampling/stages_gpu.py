"""Stage-by-stage distributions on a GPU: all data stays on the device until one small copy at the end.

So Python never branches on a number of the device, and never uses one as an index: `tensor[number]` would copy the number to the host,
`tensor[numbers]` does not. All stages are measured together, because launching an operation costs a GPU more than computing it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from core.device import to_device
from core.sampling.observation import ActiveStage, Observation, Selection, also_listed
from core.sampling.score_row import broken, nothing_left


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores after a stage, float [1, vocabulary]; -inf for excluded tokens."""

    name: str
    setting: float | None
    scores: torch.Tensor


@torch.inference_mode()
def observe(
    logits: torch.Tensor, stages: Sequence[ActiveStage], greedy: bool, previous_ids: np.ndarray, selection: Selection, top_n: int
) -> Observation:
    """Return what `core.sampling.observe_stages.observe` returns, computed on the logits' device with transformers' own processors."""
    scores = logits[None]
    scored = [Scores("model", None, scores)]
    for name, setting, process in stages:
        before = to_device(previous_ids, logits.device)[None] if name == "repetition penalty" else scores
        scores = process(before, scores)
        scored.append(Scores(name, setting, scores))
    also = min(1 if greedy else len(logits), also_listed([name for name, _, _ in stages], top_n))
    table = _measure(scored, selection, greedy, top_n, also)
    return _unpack(table, top_n, also + selection.any, scored, greedy, selection.any)


def _measure(stages: list[Scores], selection: Selection, greedy: bool, top_n: int, also: int) -> np.ndarray:
    """Return the measurements of all stages and the pick as one float64 row; `_unpack` lists its order.

    also: how many of the likeliest tokens after the last stage are listed behind the model's.
    """
    scores = torch.cat([stage.scores for stage in stages])
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


def _unpack(table: np.ndarray, favourites: int, more: int, stages: list[Scores], greedy: bool, picked: bool) -> Observation:
    """Return the observation, likeliest token first, from a row of measurements.

    The row holds in this order: the listed ids, first the model's `favourites`, then `more`, the chosen one last if one was selected; where
    each begins on the strip of the dice; their scores at every stage; every stage's log-sum-exp, entropy in nats and number of kept tokens;
    how many tokens are likelier than each of `more`.
    """
    count, listed = len(stages), favourites + more
    ids, starts, rest = table[:listed], table[listed : 2 * listed], table[2 * listed :]
    measures = count * (listed + 3)
    scores, (sums, entropies, counts), better = rest[: count * listed], rest[count * listed : measures].reshape(3, count), rest[measures:]
    if (counts == 0).any() and counts[0]:
        raise nothing_left(stages[int(counts.argmin())].name)
    if np.isnan(sums).any() or np.isnan(entropies).any():
        raise broken()
    scores = scores.reshape(count, listed)
    names = [stage.name for stage in stages]
    stage_settings = [stage.setting for stage in stages]
    probabilities = np.exp(scores - sums[:, None])
    alive = scores > -math.inf
    kept_counts, bits = counts.astype(np.int64).tolist(), (entropies / math.log(2)).tolist()
    if greedy:
        only = ~np.isnan(starts)
        names, stage_settings = [*names, "greedy"], [*stage_settings, None]
        probabilities = np.vstack([probabilities, only.astype(float)])
        alive = np.vstack([alive, only])
        kept_counts, bits = [*kept_counts, 1], [*bits, 0.0]

    token_ids = ids.astype(np.int64)
    order = np.lexsort((token_ids[:favourites], -scores[0, :favourites]))  # equal probabilities: lower id first
    chosen = int(token_ids[-1]) if picked else -1
    missing = {
        int(token_ids[column]): column
        for column in range(favourites, listed)
        if token_ids[column] not in token_ids[:favourites] and (alive[-1, column] or token_ids[column] == chosen)
    }
    columns = sorted(missing.values(), key=lambda column: (-scores[0, column], token_ids[column]))
    order = np.array([*order, *columns], np.int64)
    ranks = np.array([*range(1, favourites + 1), *(max(int(better[column - favourites]), favourites) + 1 for column in columns)])
    dead = ~alive[:, order]
    removed_at = np.where(dead.any(0), dead.argmax(0), -1)
    starts = np.where(alive[-1], starts, math.nan)
    return Observation(
        token_ids=token_ids[order],
        ranks=ranks,
        logits=scores[0, order],
        probabilities=probabilities[:, order],
        removed_at=removed_at,
        dice_starts=starts[order],
        stage_names=tuple(names),
        stage_settings=tuple(stage_settings),
        stage_kept=tuple(kept_counts),
        stage_entropies=tuple(bits),
        chosen=chosen,
    )
