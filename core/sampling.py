"""From logits to a token: transformers' own processors, watched one by one, and dice that can be thrown again.

The processors and their order are those of `GenerationMixin._get_logits_processor` (transformers 5). Ours is only the watching: after each
of them the distribution is measured. On a CPU, tokens that a cut-off removed are not carried any further, since no later stage can bring
them back; that changes no number and saves most of the time. On a GPU everything stays on the device until one small copy at the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
from transformers.generation.logits_process import (
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)

from core.errors import BadToken, BrokenLogits
from core.settings import SamplingSettings

Processor = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]

SORTED_AT_ONCE = 1024  # on a CPU, more survivors than this are sorted only as far as the roll reaches


@dataclass(frozen=True, slots=True)
class Observation:
    """What was seen at one step, as small arrays on the host; see `core.step.Odds` for their meaning. chosen is -1 before the roll."""

    token_ids: np.ndarray
    ranks: np.ndarray
    logits: np.ndarray
    probabilities: np.ndarray
    removed_at: np.ndarray
    dice_starts: np.ndarray
    stage_names: tuple[str, ...]
    stage_settings: tuple[float | None, ...]
    stage_kept: tuple[int, ...]
    stage_entropies: tuple[float, ...]
    chosen: int


@dataclass(frozen=True, slots=True)
class _Scores:
    """The scores after a stage: [1, kept] with the ids of what is kept, or [1, vocabulary] while nothing was left behind (ids None)."""

    name: str
    setting: float | None
    scores: torch.Tensor
    ids: torch.Tensor | None


def roll(seed: int, step_index: int, attempt: int = 0) -> float:
    """The number in [0, 1) thrown at this step. It depends on these three alone: not on the device, the model or what was thrown before."""
    return float(np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, step_index, attempt]))).random())


def processors(settings: SamplingSettings) -> Iterator[tuple[str, float, Processor]]:
    """The active stages with their names and settings, in transformers' order. Greedy keeps the penalty and drops the warpers."""
    if settings.repetition_penalty != 1.0:
        yield "repetition penalty", settings.repetition_penalty, RepetitionPenaltyLogitsProcessor(settings.repetition_penalty)
    if settings.greedy:
        return
    if settings.temperature != 1.0:
        yield "temperature", settings.temperature, TemperatureLogitsWarper(settings.temperature)
    if settings.top_k > 0:
        yield "top-k", settings.top_k, TopKLogitsWarper(settings.top_k)
    if settings.top_p < 1.0:
        yield "top-p", settings.top_p, TopPLogitsWarper(settings.top_p)
    if settings.min_p > 0.0:
        yield "min-p", settings.min_p, MinPLogitsWarper(settings.min_p)
    if settings.typical_p < 1.0:
        yield "typical-p", settings.typical_p, TypicalLogitsWarper(settings.typical_p)


CUTS = frozenset({"top-k", "top-p", "min-p", "typical-p"})


def _watch(logits: torch.Tensor, settings: SamplingSettings, previous_ids: np.ndarray) -> list[_Scores]:
    """The scores after every active stage, the model's own first."""
    scores, ids = logits[None], None
    seen = [_Scores("model", None, scores, None)]
    for name, setting, process in processors(settings):
        before = torch.from_numpy(previous_ids)[None].to(logits.device) if name == "repetition penalty" else scores
        scores = process(before, scores)
        if name in CUTS and logits.device.type == "cpu":
            kept = torch.nonzero(scores[0] > -math.inf)[:, 0]
            if len(kept) == 0:  # nothing compares with NaN
                raise _broken()
            ids = kept if ids is None else ids[kept]
            scores = scores[:, kept]
        seen.append(_Scores(name, setting, scores, ids))
    return seen


def _dice_order(probabilities: torch.Tensor, reach: float) -> tuple[torch.Tensor, torch.Tensor]:
    """Indices of the survivors, largest first (ties: lower id), and their cumulative probability in float64, at least as far as `reach`."""
    count = len(probabilities)
    if probabilities.device.type == "cpu" and count > SORTED_AT_ONCE:
        least = torch.topk(probabilities, SORTED_AT_ONCE // 4, sorted=False).values.min()
        head = torch.nonzero(probabilities >= least)[:, 0]
        order = head[torch.sort(probabilities[head], descending=True, stable=True).indices]
        cumulative = torch.cumsum(probabilities[order], 0, dtype=torch.float64)
        if cumulative[-1] > reach:
            return order, cumulative
    order = torch.sort(probabilities, descending=True, stable=True).indices
    return order, torch.cumsum(probabilities[order], 0, dtype=torch.float64)


def _gather(stage: _Scores, wanted: torch.Tensor) -> torch.Tensor:
    """The scores of the wanted token ids at this stage; -inf where they are gone."""
    if stage.ids is None:
        return stage.scores[0, wanted]
    place = torch.searchsorted(stage.ids, wanted).clamp_(max=len(stage.ids) - 1)
    return torch.where(stage.ids[place] == wanted, stage.scores[0, place], -math.inf)


@torch.inference_mode()
def observe(
    logits: torch.Tensor,
    settings: SamplingSettings,
    previous_ids: np.ndarray,
    top_n: int,
    *,
    roll: float | None = None,
    forced: int | None = None,
    greedily: bool = False,
) -> Observation:
    """Watch the odds pass through every stage, and pick a token: by the roll, by force, greedily, or (given none of them) not at all.

    logits: float32 [vocabulary], the model's own. previous_ids: int64 [position], all tokens so far (the repetition penalty needs them).
    The dice go by inverse cumulative probability, largest first: the pick is the first token whose cumulative probability exceeds the roll.
    Raises BrokenLogits if the model answered with NaN, BadToken if the forced id is not in the vocabulary.
    """
    if logits.device.type == "mps":  # float64 does not exist there
        logits = logits.cpu()
    vocabulary = len(logits)
    if forced is not None and not 0 <= forced < vocabulary:
        raise BadToken(f"There is no token number {forced}: this model knows the numbers 0 to {vocabulary - 1}.")
    seen = _watch(logits, settings, previous_ids)
    sums = [torch.logsumexp(stage.scores[0], 0) for stage in seen]
    shares = [torch.exp(stage.scores[0] - total) for stage, total in zip(seen, sums, strict=True)]
    final, survivors = shares[-1], seen[-1].ids

    picking = roll is not None or forced is not None or greedily
    total = final.sum(dtype=torch.float64)
    reach = total * roll if roll is not None else total.new_zeros(())
    if settings.greedy:
        order = torch.argmax(final)[None]
        cumulative = torch.ones(1, dtype=torch.float64, device=logits.device)
    else:
        order, cumulative = _dice_order(final, float(reach) if logits.device.type == "cpu" else 0.0)
        cumulative = cumulative / total
    ordered_ids = order if survivors is None else survivors[order]

    listed = torch.topk(logits, min(top_n, vocabulary)).indices
    if picking:
        if forced is not None:
            chosen = listed.new_full((1,), forced)
        elif greedily:
            chosen = torch.argmax(final)[None] if survivors is None else survivors[torch.argmax(final)][None]
        else:
            above = torch.searchsorted(cumulative, reach / total, right=True).clamp_(max=len(cumulative) - 1)
            chosen = ordered_ids[above][None]
        listed = torch.cat([listed, chosen])

    same = ordered_ids[:, None] == listed[None]
    starts = torch.where(same.any(0), torch.cat([cumulative.new_zeros(1), cumulative[:-1]])[same.to(torch.int8).argmax(0)], math.nan)
    own = logits[listed]
    better = (logits[:, None] > own[None, -1:]).sum() if picking else own.new_zeros(())
    table = torch.cat(
        [
            part.to(torch.float64).reshape(-1)
            for part in (
                listed,
                starts,
                torch.stack([_gather(stage, listed) for stage in seen]),
                torch.stack(sums),
                torch.stack([torch.special.entr(share).sum() for share in shares]),
                torch.stack([(stage.scores > -math.inf).sum() for stage in seen]),
                better,
            )
        ]
    )
    return _on_host(table.cpu().numpy(), len(listed), seen, settings, picking)


def _on_host(table: np.ndarray, listed: int, seen: list[_Scores], settings: SamplingSettings, picked: bool) -> Observation:
    """Unpack the one copy from the device into an observation, in the model's order of preference."""
    count = len(seen)
    ids, starts, rest = table[:listed], table[listed : 2 * listed], table[2 * listed :]
    scores, (sums, entropies, kept), better = rest[: count * listed], rest[count * listed : -1].reshape(3, count), rest[-1]
    if np.isnan(sums).any() or np.isnan(entropies).any():
        raise _broken()
    scores = scores.reshape(count, listed)
    names = [stage.name for stage in seen]
    stage_settings = [stage.setting for stage in seen]
    probabilities = np.exp(scores - sums[:, None])
    alive = scores > -math.inf
    kept_counts, bits = kept.astype(np.int64).tolist(), (entropies / math.log(2)).tolist()
    if settings.greedy:
        only = ~np.isnan(starts)
        names, stage_settings = [*names, "greedy"], [*stage_settings, None]
        probabilities = np.vstack([probabilities, only.astype(float)])
        alive = np.vstack([alive, only])
        kept_counts, bits = [*kept_counts, 1], [*bits, 0.0]

    token_ids = ids.astype(np.int64)
    favourites = listed - picked
    order = np.lexsort((token_ids[:favourites], -scores[0, :favourites]))  # equal odds: lower id first
    ranks = np.arange(1, favourites + 1)
    chosen = int(token_ids[-1]) if picked else -1
    if picked and chosen not in token_ids[:favourites]:
        order, ranks = np.append(order, favourites), np.append(ranks, max(int(better), favourites) + 1)
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


def _broken() -> BrokenLogits:
    return BrokenLogits(
        "The model answered with numbers that are not numbers (NaN): there are no odds to show. Try another model or precision."
    )
