"""Sampling stages: logits processors in the order of the settings, observed one by one, and the selected token.

The processors are transformers' own where it has one (`GenerationMixin._get_logits_processor`), else those of `samplers`.
This module measures the distribution after each of them. On a GPU all data stays on the device until one small copy at the end. On a CPU,
NumPy computes the same results (`cpu`, its cut-offs in `cut_offs_numpy`) and asks the processors where rounding decides. Tokens that a
cut-off excluded are dropped from later stages, which changes no number and saves most of the time.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import torch

from core.device import to_device
from core.errors import BadToken
from core.sampling import stages_gpu, stages_numpy
from core.sampling.history import History, last_n
from core.sampling.observation import ActiveStage, Observation, Scores, Selection, also_listed, broken, nothing_left
from core.sampling.samplers.constraint import Constraint
from core.sampling.samplers.contract import Sampler
from core.sampling.samplers.dry import DRY
from core.sampling.samplers.dynamic_temperature import DynamicTemperature
from core.sampling.samplers.logit_bias import LogitBias, check_ids
from core.sampling.samplers.mirostat import Mirostat
from core.sampling.samplers.no_repeat_ngram import NoRepeatNGram
from core.sampling.samplers.penalties import FrequencyPenalty, PresencePenalty
from core.sampling.samplers.top_n_sigma import TopNSigma
from core.sampling.samplers.xtc import XTC
from core.settings import SamplingSettings
from core.stage_orders import SETTING_OF


@lru_cache(maxsize=64)
def processors(settings: SamplingSettings) -> tuple[ActiveStage, ...]:
    """Return the active stages with names and settings, in the order of the settings.

    A stage that depends on the text has a `Sampler` in place of a processor; see `at`.
    """
    return tuple(_stage(name, settings) for name in settings.active_stages)


def _stage(name: str, settings: SamplingSettings) -> ActiveStage:
    from transformers.generation import logits_process  # slow to import, and reading a recording does not need it

    value = getattr(settings, SETTING_OF[name])
    if name in ("logit bias", "constraint"):  # the record of a stage has one number
        value = float(len(settings.biases)) if name == "logit bias" else None
    if name == "temperature" and settings.dynatemp_range and not (settings.mirostat_tau and settings.order == "llama.cpp"):
        return "dynamic temperature", settings.dynatemp_range, DynamicTemperature(settings)
    if name in SAMPLERS:
        return name, value, SAMPLERS[name](settings)
    process = {
        "repetition penalty": logits_process.RepetitionPenaltyLogitsProcessor,
        "temperature": logits_process.TemperatureLogitsWarper,
        "top-k": logits_process.TopKLogitsWarper,
        "top-p": logits_process.TopPLogitsWarper,
        "min-p": logits_process.MinPLogitsWarper,
        "typical-p": logits_process.TypicalLogitsWarper,
        "epsilon": logits_process.EpsilonLogitsWarper,
        "eta": logits_process.EtaLogitsWarper,
    }[name]
    return name, value, process(value)


SAMPLERS: dict[str, type[Sampler]] = {
    "logit bias": LogitBias,
    "frequency penalty": FrequencyPenalty,
    "presence penalty": PresencePenalty,
    "no-repeat n-gram": NoRepeatNGram,
    "constraint": Constraint,
    "DRY": DRY,
    "top-n-sigma": TopNSigma,
    "XTC": XTC,
    "mirostat": Mirostat,
}


def at(settings: SamplingSettings, text: np.ndarray | History) -> tuple[tuple[ActiveStage, ...], np.ndarray]:
    """Return the stages of the step after this text, each with a processor, and the token ids that the repetition penalty reads.

    text: token ids alone suffice for settings that are `fits_compiled_order`.
    """
    stages = processors(settings)
    if not fits_compiled_order(settings):
        if isinstance(text, np.ndarray):
            raise TypeError("These settings need a History, because they depend on more than the token ids.")
        stages = tuple(
            (name, process.setting_at(text, value), process.at(text)) if isinstance(process, Sampler) else (name, value, process)
            for name, value, process in stages
        )
    ids, count = text if isinstance(text, np.ndarray) else text.ids, last_n(settings)
    return stages, ids[-count:] if count else ids


@lru_cache(maxsize=64)
def fits_compiled_order(settings: SamplingSettings) -> bool:
    """Return whether all active stages are those that compiled code has, in its order: such steps need only token ids."""
    return stages_numpy.compiled_order(tuple([name for name, _, _ in processors(settings)]))


def observe(
    logits: torch.Tensor,
    settings: SamplingSettings,
    text: np.ndarray | History,
    top_n: int,
    *,
    roll: float | None = None,
    forced: int | None = None,
    greedily: bool = False,
) -> Observation:
    """Return the probabilities after every stage, and select a token: by the roll, forced, greedily, or (none of them) not at all.

    logits: float32 [vocabulary], the model's own. text: all tokens so far; int64 [position] suffices if `fits_compiled_order`.
    The dice use inverse cumulative probability, likeliest first: the first token whose cumulative probability exceeds the roll.
    Raises BrokenLogits for NaN logits, BadToken if the forced id is not in the vocabulary, BadSetting for settings that leave no token.
    """
    if forced is not None and not 0 <= forced < len(logits):
        raise BadToken("Token id {forced} does not exist. The ids of this model are 0 to {last}.", forced=forced, last=len(logits) - 1)
    check_ids(settings, len(logits))
    selection, top_n = Selection(roll, forced, greedily), min(top_n, logits.numel())
    if logits.is_cpu or logits.is_mps:  # MPS has no float64
        scores = logits.numpy(force=logits.is_mps or logits.requires_grad)
        stages, previous_ids = at(settings, text)
        return stages_numpy.observe(scores, stages, settings.greedy, previous_ids, selection, top_n, compiles=fits_compiled_order(settings))
    return _observe_on_device(logits, settings, text, selection, top_n)


@torch.inference_mode()
def _observe_on_device(
    logits: torch.Tensor, settings: SamplingSettings, text: np.ndarray | History, selection: Selection, top_n: int
) -> Observation:
    """Return the observation computed on the logits' device, with transformers' own processors."""
    scores = logits[None]
    seen = [Scores("model", None, scores)]
    stages, previous_ids = at(settings, text)
    for name, setting, process in stages:
        before = to_device(previous_ids, logits.device)[None] if name == "repetition penalty" else scores
        scores = process(before, scores)
        seen.append(Scores(name, setting, scores))
    also = 1 if settings.greedy else len(logits)
    also = min(also, also_listed([name for name, _, _ in stages], top_n))
    table = stages_gpu.measure(seen, selection, settings.greedy, top_n, also)
    return _unpack(table, top_n, also + selection.any, seen, settings, selection.any)


def _unpack(table: np.ndarray, favourites: int, more: int, seen: list[Scores], settings: SamplingSettings, picked: bool) -> Observation:
    """Return the observation, likeliest token first, from a row of measurements.

    The row holds in this order: the listed ids, first the model's `favourites`, then `more`, the chosen one last if one was selected; where
    each begins on the strip of the dice; their scores at every stage; every stage's log-sum-exp, entropy in nats and number of kept tokens;
    how many tokens are likelier than each of `more`.
    """
    count, listed = len(seen), favourites + more
    ids, starts, rest = table[:listed], table[listed : 2 * listed], table[2 * listed :]
    measures = count * (listed + 3)
    scores, (sums, entropies, kept), better = rest[: count * listed], rest[count * listed : measures].reshape(3, count), rest[measures:]
    if (kept == 0).any() and kept[0]:
        raise nothing_left(seen[int(kept.argmin())].name)
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
