"""A second opinion on which words mattered: integrated gradients (Sundararajan, Taly and Yan 2017, arXiv 1703.01365)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
import torch

from core.checked_number import whole_number
from core.engine.model import LanguageModel
from core.errors import ModelError
from core.inspection.attribution.passes import Passes, neutral_token, other_token, reachable, text_and_target
from core.message import Message

STEPS = 32
MOST_STEPS = 512
ROWS = 8  # of one batch; each keeps what all layers computed


@dataclass(frozen=True, slots=True, eq=False)
class IntegratedGradients:
    """Effects by integrated gradients. effects: float64 [tokens], nats; positive: the token spoke for the target.

    difference: log p(target | text) - log p(target | text of neutral words). The effects add up to it, within `gap`, which is the error
    of the sum over steps. baseline_id: the neutral word.
    """

    effects: np.ndarray
    difference: float
    baseline_id: int

    @property
    def gap(self) -> float:
        """How far the sum of the effects is from the difference, nats."""
        return abs(float(self.effects.sum()) - self.difference)


def integrated_gradients(
    model: LanguageModel,
    token_ids: Sequence[int] | np.ndarray,
    target_id: int,
    steps: int = STEPS,
    baseline_id: int | None = None,
    against: int | None = None,
) -> IntegratedGradients:
    """Return the effects of all tokens from the gradients along the straight line between a text of neutral words and this text.

    The line is in the space of embeddings; the integral is a sum over the middles of `steps` equal parts.
    against: another token. Then log p(target) - log p(against) takes the place of log p(target).
    Raises BadSetting, EmptyPrompt, BadToken, PromptTooLong, InputError, ModelError, BrokenLogits, NoRoom.
    """
    ids, wanted = text_and_target(model, token_ids, target_id)
    other = other_token(model, against, wanted)
    steps = whole_number(steps, Message("The number of steps"), 1, MOST_STEPS)
    passes = Passes(model)
    neutral = neutral_token(model) if baseline_id is None else model.token(baseline_id).token_id
    ends = passes.log_probabilities(np.stack([ids, np.full_like(ids, neutral)]), wanted, other)
    with passes.turn():
        table = passes.network.get_input_embeddings()
        text, baseline = (table(passes.tensor(row)[None])[0].clone() for row in (ids, np.full_like(ids, neutral)))
    slope = torch.zeros_like(text, dtype=torch.float64)
    middles = (torch.arange(steps, device=text.device, dtype=text.dtype) + 0.5) / steps
    for part in middles.split(ROWS):
        slope += _slopes(passes, text, baseline, part, wanted, other)
    effects = ((text - baseline).double() * slope / steps).sum(-1).cpu().numpy()
    return IntegratedGradients(effects, reachable(ends[0], model, wanted, other) - float(ends[1]), neutral)


def _slopes(passes: Passes, text: torch.Tensor, baseline: torch.Tensor, part: torch.Tensor, wanted: int, other: int | None) -> torch.Tensor:
    """Return the sum of the gradients of log p(target) at some points of the line, float64 [tokens, hidden].

    other: the token whose log-probability is subtracted.
    """
    with passes.turn(gradients=True):
        points = (baseline.clone() + part[:, None, None] * (text - baseline)).detach().requires_grad_(True)
        try:
            logits = passes.forward(inputs_embeds=points)
            chances = logits.log_softmax(-1)
            scores = chances[:, wanted] if other is None else chances[:, wanted] - chances[:, other]
            (gradients,) = torch.autograd.grad(scores.sum(), points)
        except (RuntimeError, TypeError, ValueError, NotImplementedError) as error:
            if "memory" in str(error).lower():
                raise
            raise ModelError("This architecture gives no gradients of its embeddings.") from error
        return gradients.double().sum(0)


def rank_correlation(left: Sequence[float] | np.ndarray, right: Sequence[float] | np.ndarray) -> float:
    """Return Spearman's rank correlation of two maps, -1 to 1; equal values share their mean rank. NaN if one of them is constant.

    >>> rank_correlation([1.0, 2.0, 30.0], [5.0, 6.0, 7.0])
    1.0
    """
    return float(pd.Series(left).rank().corr(pd.Series(right).rank()))
