"""Samplers that name tokens: logit bias, and the constraint (see `core.sampling.constraint`)."""

from __future__ import annotations

import math

import numpy as np
import torch

from core.device import to_device
from core.errors import BadSetting
from core.message import Message
from core.sampling.constraint.allowed_tokens import Allowed, compiled
from core.sampling.observation import History, Processor
from core.sampling.samplers.contract import Addition, Sampler
from core.sampling.settings import SamplingSettings

EXACT = 100.0  # OpenAI's largest bias; a logit of this size has five decimals in float32


class LogitBias(Sampler):
    """Adds a number to the logits of some tokens; -inf excludes one. Equal to transformers' SequenceBiasLogitsProcessor.

    After a bias above EXACT the scores are float64, because float32 has steps of 1 / 16 at a million. So the probabilities of tokens with
    the same bias stay exact, and transformers' own are rounded.
    """

    stage = "logit bias"

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        ids, amounts = zip(*self.settings.biases, strict=True)
        is_large = any(EXACT < abs(amount) < math.inf for amount in amounts)
        return Addition(np.array(ids, dtype=np.int64), np.array(amounts, dtype=np.float64 if is_large else np.float32))


def check_ids(settings: SamplingSettings, size: int) -> None:
    """Raise BadSetting if the logit bias names a token outside a vocabulary of this size."""
    if settings.biases and settings.biases[-1][0] >= size:
        message = Message("Logit bias names token {token_id}, but the ids of this model are 0 to {last}.")
        raise BadSetting(message.with_values(token_id=str(settings.biases[-1][0]), last=str(size - 1)))


class Constraint(Sampler):
    """Allows the tokens that can follow in a text of the constraint, and the end of the text where it is complete."""

    stage = "constraint"

    def at(self, history: History) -> Processor:
        """See `Sampler`. Raises BadSetting for a constraint that cannot be used or does not fit the text."""
        allowed = allowed_after(self.settings.constraint, history)

        def exclude(_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
            return scores.masked_fill(to_device(~allowed.mask(scores.shape[-1]), scores.device)[None], -math.inf)

        return exclude


def allowed_after(constraint: str, history: History) -> Allowed:
    """Return the tokens that a constraint allows after this text. Raises BadSetting if the text is complete and nothing can follow."""
    if history.vocabulary is None:
        raise TypeError("A constraint needs a History with the vocabulary.")
    model = history.vocabulary
    allowed = compiled(model, constraint).after(history.constrained_ids)
    if allowed.complete and not np.any(allowed.mask(model.vocabulary_size)):
        raise BadSetting("The text fulfils the constraint, and this model has no end token. Go back, or switch it off.")
    return allowed
