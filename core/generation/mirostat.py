"""Mirostat's limit at a node of the tree. It follows from the step that led to the node, so that going back and branching are right."""

from __future__ import annotations

from core.record.step import Step
from core.sampling.samplers.shape import next_mu
from core.settings import SamplingSettings


def mu_after(step: Step | None, settings: SamplingSettings) -> float:
    """Return the limit after this step; 2 tau after the prompt, and after a step without mirostat or with another tau or eta.

    The step's record has the limit that it used. A forced token that the step excluded counts with the model's probability.
    """
    start = 2 * settings.mirostat_tau
    if step is None or "mirostat" not in step.stage_names:
        return start
    used = step.stage_settings[step.stage_names.index("mirostat")]
    if used is None or (step.settings.mirostat_tau, step.settings.mirostat_eta) != (settings.mirostat_tau, settings.mirostat_eta):
        return start
    return next_mu(used, step.sampling_probability or step.model_probability, settings)
