"""The text so far as the sampling stages know it (`History`), and logits observed with it. Both follow from the record of each branch.

Imported with the first step, because the stages import torch, which a recording does not need.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from core.errors import BadSetting
from core.message import Message
from core.record.step import Step
from core.sampling import observe_stages
from core.sampling.constraint.allowed_tokens import compiled
from core.sampling.observation import GREEN, RED, History, Observation
from core.sampling.samplers.adaptive import next_mu
from core.sampling.samplers.watermark import mark_at
from core.sampling.settings import SamplingSettings
from core.sources.source import Logits, Source, Wanted


def observed(logits: Logits, wanted: Wanted, history: History) -> Observation:
    """Return the probabilities after every stage, and the token that the roll, the person or greedy selects."""
    forced = wanted.forced
    return observe_stages.observe(
        logits.values,
        wanted.settings,
        history,
        logits.listing(wanted.count),
        roll=wanted.roll,
        forced=None if forced is None else logits.column(forced),
        greedily=wanted.picks and wanted.roll is None and forced is None,
    )


def marks(settings: SamplingSettings, history: History, size: int, token_ids: np.ndarray) -> dict[str, tuple[str, ...]]:
    """Return the field `facts` of a record: whether each listed token is on the green list, or its g-values; {} for a step without a mark.

    size: of the vocabulary.
    """
    mark = mark_at(settings, history, size) if settings.watermark and len(history.ids) and "watermark" in settings.active_stages else None
    if mark is None:
        return {}
    if settings.watermark == "green":
        return {"facts": tuple(GREEN if is_green else RED for is_green in mark[token_ids])}
    sums = mark[:, token_ids].sum(0).astype(int).tolist()
    return {"facts": tuple(Message("g-values: {count} of {total}", count=count, total=len(mark)) for count in sums)}


def history_of(source: Source, ids: np.ndarray, prompt_length: int, path: Sequence[Step], settings: SamplingSettings) -> History:
    """Return what the stages may know of the text after this path. ids: int64 [position], prompt and path; empty for tokens without ids."""
    mu = mu_after(path[-1] if path else None, settings)
    return History.of(source, ids, prompt_length, mu, constrained_from(path, prompt_length, settings))


def mu_after(step: Step | None, settings: SamplingSettings) -> float:
    """Return mirostat's limit after this step; 2 tau after the prompt, and after a step without mirostat or with another tau or eta.

    The step's record has the limit that it used. A forced token that the step excluded counts with the model's probability.
    """
    start = 2 * settings.mirostat_tau
    if step is None or "mirostat" not in step.stage_names:
        return start
    used = step.stage_settings[step.stage_names.index("mirostat")]
    if used is None or (step.settings.mirostat_tau, step.settings.mirostat_eta) != (settings.mirostat_tau, settings.mirostat_eta):
        return start
    return next_mu(used, step.sampling_probability or step.model_probability, settings)


def constrained_from(path: Sequence[Step], prompt_length: int, settings: SamplingSettings) -> int:
    """Return the index of the first token that the constraint covers, counted from the start of the prompt.

    These are the last steps that were made with this constraint. A constraint that was changed begins with the next token.
    """
    count = 0
    if settings.constraint:
        for step in reversed(path):
            if step.settings.constraint != settings.constraint:
                break
            count += 1
    return prompt_length + len(path) - count


def is_fulfilled(history: Callable[[], History], settings: SamplingSettings) -> bool:
    """Return whether the text is complete under its constraint; False without one, or for one that cannot be used."""
    if not settings.constraint:
        return False
    text = history()
    try:
        return compiled(text.vocabulary, settings.constraint).after(text.constrained_ids).complete
    except BadSetting:
        return False
