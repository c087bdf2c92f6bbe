"""Select only the token, without a record, for many requests at once: the same stages, dice and token as with a record."""

from __future__ import annotations

import math

import numpy as np
import torch

from core.backends import compiled
from core.sampling import dice, stages, stages_numpy
from core.sampling.history import History
from core.sampling.samplers.logit_bias import check_ids
from core.settings import SamplingSettings


def pick(logits: torch.Tensor, settings: SamplingSettings, text: np.ndarray | History, index: int) -> int:
    """Return the token that `core.sampling.stages.observe` selects from float32 logits [vocabulary] with the first roll of step `index`.

    text: all tokens so far, as in `observe`. Raises BrokenLogits for NaN logits, BadSetting for settings that leave no token.
    """
    if logits.device.type not in ("cpu", "mps"):
        roll = None if settings.greedy else dice.roll(settings.seed, index)
        return stages.observe(logits, settings, text, 1, roll=roll, greedily=roll is None).chosen
    scores = logits.detach().cpu().numpy()
    favourite = _only_the_favourite(scores, settings)
    if favourite is not None:
        return favourite
    roll = None if settings.greedy else dice.roll(settings.seed, index)
    if roll is not None and _compiled(scores, settings):
        found = compiled.pick(scores, settings.temperature, settings.top_k, settings.top_p, settings.min_p, roll)
        if found != compiled.UNSURE:
            return found
    with np.errstate(all="ignore"):  # infinities and NaN are detected in the sums
        row = _last_row(scores, settings, text)
        if roll is None:
            favourite = int(row.scores.argmax())
            return favourite if row.ids is None else int(row.ids[favourite])
        strip, starts = stages_numpy.strip_of(row, roll)
        return int(strip[min(int(starts[2:].searchsorted(roll, "right")), len(strip) - 1)])


def _last_row(scores: np.ndarray, settings: SamplingSettings, text: np.ndarray | History) -> stages_numpy.Row:
    """Return the scores after all stages."""
    check_ids(settings, len(scores))
    row = stages_numpy.Row.of(scores, None)
    active, previous_ids = stages.at(settings, text)
    for name, setting, process in active:
        row = stages_numpy.after(row, len(scores), name, setting, process, previous_ids)
    return row


def _only_the_favourite(scores: np.ndarray, settings: SamplingSettings) -> int | None:
    """Return the likeliest token if greedy and without a penalty; else None. None too if its score is not finite."""
    if not settings.greedy or stages.processors(settings):
        return None
    favourite = int(scores.argmax())  # argmax finds a NaN if there is one
    return favourite if math.isfinite(scores[favourite]) else None


def _compiled(scores: np.ndarray, settings: SamplingSettings) -> bool:
    """Return whether compiled code supports these scores and settings: neither repetition penalty nor typical-p."""
    other = settings.greedy or settings.repetition_penalty != 1.0 or settings.typical_p < 1.0
    return (
        not other
        and stages.fits_compiled_order(settings)
        and scores.dtype == np.float32
        and scores.flags.c_contiguous
        and compiled.sampling_is_ready()
    )


def sampling_probabilities(logits: torch.Tensor, settings: SamplingSettings, text: np.ndarray | History) -> np.ndarray:
    """Return the probabilities after your settings, float64 [vocabulary]: softmax of float32 logits [vocabulary] after all stages.

    text: all tokens so far, as in `observe`. With greedy, the likeliest token has probability 1. Raises what `pick` raises.
    """
    found = np.zeros(len(logits))
    scores = logits.detach().float().cpu().numpy()
    favourite = _only_the_favourite(scores, settings)
    if favourite is not None:
        found[favourite] = 1.0
        return found
    cuts = settings.top_k, settings.top_p, settings.min_p
    if _compiled(scores, settings) and compiled.probabilities(scores, settings.temperature, *cuts, found):
        return found
    with np.errstate(all="ignore"):
        row = _last_row(scores, settings, text)
        if settings.greedy:
            favourite = int(row.scores.argmax())
            found[favourite if row.ids is None else row.ids[favourite]] = 1.0
            return found
        weights = row.weights.astype(np.float64)
        found[slice(None) if row.ids is None else row.ids] = weights / weights.sum()
    return found


def pick_by(probabilities: np.ndarray, roll: float) -> int:
    """Return the token that a roll in [0, 1) selects from float64 probabilities [vocabulary], largest first, equal ones by id."""
    alive = probabilities.nonzero()[0]
    order = alive[(-probabilities[alive]).argsort(kind="stable")]
    ends = probabilities[order].cumsum()
    return int(order[min(int((ends / ends[-1]).searchsorted(roll, "right")), len(order) - 1)])
