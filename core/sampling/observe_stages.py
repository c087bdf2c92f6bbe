"""Sampling stages: logits processors in the order of the settings, observed one by one, and the selected token.

The processors are transformers' own where it has one (`GenerationMixin._get_logits_processor`), else those of `samplers`.
This module measures the distribution after each of them. On a GPU all data stays on the device until one small copy at the end
(`stages_gpu`). On a CPU, NumPy computes the same results (`stages_numpy`) and asks the processors where
rounding decides. Tokens that a cut-off excluded are dropped from later stages, which changes no number and saves most of the time.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch

from core.errors import BadToken
from core.sampling import dice, stages_gpu, stages_numpy
from core.sampling.observation import ActiveStage, History, Observation, Selection, last_n
from core.sampling.samplers import by_stage
from core.sampling.samplers.bias_and_constraint import check_ids
from core.sampling.samplers.contract import Sampler
from core.sampling.settings import SETTING_OF, STAGES, SamplingSettings

USUAL = ("repetition penalty", "temperature", "top-k", "top-p", "min-p", "typical-p")


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
        return "dynamic temperature", settings.dynatemp_range, by_stage()["dynamic temperature"](settings)
    if STAGES[name].processor:
        return name, value, getattr(logits_process, STAGES[name].processor)(value)
    return name, value, by_stage()[name](settings)


@lru_cache(maxsize=64)
def has_usual_order(settings: SamplingSettings) -> bool:
    """Return whether all active stages are among the `USUAL` ones, in their order: what they keep of a server's list can be bounded."""
    active = settings.active_stages
    return active == tuple([name for name in USUAL if name in active])


def at(settings: SamplingSettings, text: History) -> tuple[tuple[ActiveStage, ...], np.ndarray]:
    """Return the stages of the step after this text, each with a processor, and the token ids that the repetition penalty reads."""
    stages = processors(settings)
    if any(isinstance(process, Sampler) for _, _, process in stages):
        stages = tuple(
            (name, process.setting_at(text, value), process.at(text)) if isinstance(process, Sampler) else (name, value, process)
            for name, value, process in stages
        )
    count = last_n(settings)
    return stages, text.ids[-count:] if count else text.ids


def observe(
    logits: torch.Tensor,
    settings: SamplingSettings,
    text: History,
    top_n: int,
    *,
    roll: float | None = None,
    forced: int | None = None,
    greedily: bool = False,
) -> Observation:
    """Return the probabilities after every stage, and select a token: by the roll, forced, greedily, or (none of them) not at all.

    logits: float32 [vocabulary], the model's own. text: all tokens so far.
    The dice use inverse cumulative probability, likeliest first: the first token whose cumulative probability exceeds the roll.
    Raises BrokenLogits for NaN logits, BadToken if the forced id is not in the vocabulary, BadSetting for settings that leave no token.
    """
    if forced is not None and not 0 <= forced < len(logits):
        raise BadToken("Token id {forced} does not exist. The ids of this model are 0 to {last}.", forced=forced, last=len(logits) - 1)
    if settings.biases:
        check_ids(settings, len(logits))
    selection, top_n = Selection(roll, forced, greedily), min(top_n, logits.numel())
    stages, previous_ids = at(settings, text)
    if _for_numpy(logits):
        return stages_numpy.observe(_on_host(logits), stages, settings.greedy, previous_ids, selection, top_n)
    return stages_gpu.observe(logits, stages, settings.greedy, previous_ids, selection, top_n)


def pick(logits: torch.Tensor, settings: SamplingSettings, text: History) -> int:
    """Return the token that `observe` selects greedily or with the first roll of the step, without a record. Raises what it raises."""
    roll = None if settings.greedy else dice.roll(settings.seed, text.index)
    if not _for_numpy(logits):
        return observe(logits, settings, text, 1, roll=roll, greedily=roll is None).chosen
    check_ids(settings, len(logits))
    stages, previous_ids = at(settings, text)
    return stages_numpy.pick(_on_host(logits), stages, settings.greedy, previous_ids, roll or 0.0)


def sampling_probabilities(logits: torch.Tensor, settings: SamplingSettings, text: History) -> np.ndarray:
    """Return the probabilities after your settings, float64 [vocabulary]: softmax of logits [vocabulary] after all stages.

    text: all tokens so far. With greedy, the likeliest token has probability 1. Raises what `observe` raises.
    """
    check_ids(settings, len(logits))
    stages, previous_ids = at(settings, text)
    return stages_numpy.probabilities(_on_host(logits.float()), stages, settings.greedy, previous_ids)


def _for_numpy(logits: torch.Tensor) -> bool:
    """Return whether NumPy computes the stages: on a CPU, and on MPS, which has no float64."""
    return logits.is_cpu or logits.is_mps


def _on_host(logits: torch.Tensor) -> np.ndarray:
    scores: np.ndarray = logits.numpy(force=not logits.is_cpu or logits.requires_grad)
    return scores
