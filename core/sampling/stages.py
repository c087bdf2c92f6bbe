"""Sampling stages: transformers' logits processors in transformers' order, observed one by one, and the selected token.

The processors and their order are those of `GenerationMixin._get_logits_processor` (transformers 5). This module measures the distribution
after each of them. On a GPU all data stays on the device until one small copy at the end. On a CPU, NumPy computes the same results
(`core.sampling.processors_numpy`) and asks the processors where rounding decides. Tokens that a cut-off excluded are dropped from later
stages, which changes no number and saves most of the time.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import torch

from core.device import to_device
from core.errors import BadToken
from core.message import Message
from core.sampling import cpu, device
from core.sampling.observation import ActiveStage, Observation, Scores, Selection, broken
from core.settings import SamplingSettings


@lru_cache(maxsize=64)
def processors(settings: SamplingSettings) -> tuple[ActiveStage, ...]:
    """Return the active stages with names and settings, in transformers' order. Greedy keeps the penalty and drops the warpers."""
    from transformers.generation import logits_process  # slow to import, and reading a recording does not need it

    stages: list[ActiveStage] = []
    if settings.repetition_penalty != 1.0:
        penalty = settings.repetition_penalty
        stages.append(("repetition penalty", penalty, logits_process.RepetitionPenaltyLogitsProcessor(penalty)))
    if settings.greedy:
        return tuple(stages)
    if settings.temperature != 1.0:
        stages.append(("temperature", settings.temperature, logits_process.TemperatureLogitsWarper(settings.temperature)))
    if settings.top_k > 0:
        stages.append(("top-k", settings.top_k, logits_process.TopKLogitsWarper(settings.top_k)))
    if settings.top_p < 1.0:
        stages.append(("top-p", settings.top_p, logits_process.TopPLogitsWarper(settings.top_p)))
    if settings.min_p > 0.0:
        stages.append(("min-p", settings.min_p, logits_process.MinPLogitsWarper(settings.min_p)))
    if settings.typical_p < 1.0:
        stages.append(("typical-p", settings.typical_p, logits_process.TypicalLogitsWarper(settings.typical_p)))
    return tuple(stages)


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
    """Return the probabilities after every stage, and select a token: by the roll, forced, greedily, or (none of them) not at all.

    logits: float32 [vocabulary], the model's own. previous_ids: int64 [position], all tokens so far, for the repetition penalty.
    The dice use inverse cumulative probability, likeliest first: the first token whose cumulative probability exceeds the roll.
    Raises BrokenLogits for NaN logits, BadToken if the forced id is not in the vocabulary.
    """
    if forced is not None and not 0 <= forced < len(logits):
        raise BadToken(
            Message("Token id {forced} does not exist. The ids of this model are 0 to {last}.", forced=forced, last=len(logits) - 1)
        )
    selection, top_n = Selection(roll, forced, greedily), min(top_n, logits.numel())
    if logits.is_cpu or logits.is_mps:  # MPS has no float64
        scores = logits.numpy(force=logits.is_mps or logits.requires_grad)
        return cpu.observe(scores, processors(settings), settings.greedy, previous_ids, selection, top_n)
    return _observe_on_device(logits, settings, previous_ids, selection, top_n)


@torch.inference_mode()
def _observe_on_device(
    logits: torch.Tensor, settings: SamplingSettings, previous_ids: np.ndarray, selection: Selection, top_n: int
) -> Observation:
    """Return the observation computed on the logits' device, with transformers' own processors."""
    scores = logits[None]
    seen = [Scores("model", None, scores)]
    for name, setting, process in processors(settings):
        before = to_device(previous_ids, logits.device)[None] if name == "repetition penalty" else scores
        scores = process(before, scores)
        seen.append(Scores(name, setting, scores))
    table = device.measure(seen, selection, settings.greedy, top_n)
    return _unpack(table, top_n + selection.any, seen, settings, selection.any)


def _unpack(table: np.ndarray, listed: int, seen: list[Scores], settings: SamplingSettings, picked: bool) -> Observation:
    """Return the observation, likeliest token first, from a row of measurements.

    The row holds in this order: the listed ids, the chosen one last if one was selected; where each begins on the strip of the dice; their
    scores at every stage; every stage's log-sum-exp, entropy in nats and number of kept tokens; how many tokens are likelier than the last
    listed one.
    """
    count = len(seen)
    ids, starts, rest = table[:listed], table[listed : 2 * listed], table[2 * listed :]
    scores, (sums, entropies, kept), better = rest[: count * listed], rest[count * listed : -1].reshape(3, count), rest[-1]
    if np.isnan(sums).any() or np.isnan(entropies).any():
        raise broken()
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
    order = np.lexsort((token_ids[:favourites], -scores[0, :favourites]))  # equal probabilities: lower id first
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
