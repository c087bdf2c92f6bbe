"""The observation of a source's answer: the text so far (`History`), the probabilities and the picked token, and their record as fields.

Imported with the first step, because the stages import torch, which a recording does not need.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from core.errors import BadSetting
from core.record.step import Step
from core.sampling.constraint.allowed_tokens import compiled
from core.sampling.observation import History, Observation
from core.sampling.observe_stages import observe
from core.sampling.samplers.adaptive import next_mu
from core.sampling.samplers.watermark import facts_of
from core.sampling.settings import SamplingSettings
from core.sources.source import Logits, Source, Wanted


def observed(logits: Logits, wanted: Wanted, text: History) -> Observation:
    """Return the probabilities after every stage, and the token that the roll, the person or greedy selects."""
    forced = None if wanted.forced is None else logits.column(wanted.forced)
    greedily = wanted.picks and wanted.roll is None and forced is None
    count = logits.listing(wanted.count)
    return observe(logits.values, wanted.settings, text, count, roll=wanted.roll, forced=forced, greedily=greedily)


def fields_of(logits: Logits, wanted: Wanted, text: History, observation: Observation) -> dict[str, Any]:
    """Return an observation as fields of a record, with what a watermark says of the listed tokens."""
    fields = logits.fields(observation)
    if not wanted.settings.watermark:
        return fields
    facts = facts_of(wanted.settings, text, logits.values.numel(), fields["token_ids"])
    return fields | {"facts": facts} if facts else fields


def history_of(source: Source, ids: np.ndarray, prompt_length: int, path: Sequence[Step], settings: SamplingSettings) -> History:
    """Return what the stages may know of the text after this path. ids: int64 [position], prompt and path; empty for tokens without ids."""
    mu = mu_after(path[-1] if path else None, settings)
    return History.of(source, ids, prompt_length, mu, constrained_from(path, prompt_length, settings))


def mu_after(step: Step | None, settings: SamplingSettings) -> float:
    """Return mirostat's limit after this step; 2 tau after the prompt, and after a step without mirostat or with another tau or eta.

    The step's record has the limit that it used, and the probability after mirostat's own stage, which later ones (the watermark) change.
    A forced token that was excluded before or by mirostat counts with the model's probability.
    """
    start = 2 * settings.mirostat_tau
    if step is None or "mirostat" not in step.stage_names:
        return start
    row = step.stage_names.index("mirostat")
    used = step.stage_settings[row]
    if used is None or (step.settings.mirostat_tau, step.settings.mirostat_eta) != (settings.mirostat_tau, settings.mirostat_eta):
        return start
    return next_mu(used, float(step.probabilities[row, step.chosen_column]) or step.model_probability, settings)


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
