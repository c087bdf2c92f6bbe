"""Logit bias, equal to transformers' SequenceBiasLogitsProcessor with single tokens."""

from __future__ import annotations

import numpy as np

from core.errors import BadSetting
from core.message import Message
from core.sampling.history import History
from core.sampling.observation import Processor
from core.sampling.samplers.addition import Addition
from core.sampling.samplers.contract import Sampler
from core.settings import SamplingSettings


class LogitBias(Sampler):
    """Adds a number to the logits of some tokens; -inf excludes a token."""

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        ids, amounts = zip(*self.settings.biases, strict=True)
        return Addition(np.array(ids, dtype=np.int64), np.array(amounts, dtype=np.float32))


def check_ids(settings: SamplingSettings, size: int) -> None:
    """Raise BadSetting if the logit bias names a token outside a vocabulary of this size."""
    if settings.biases and settings.biases[-1][0] >= size:
        said = Message("Logit bias names token {token_id}, but the ids of this model are 0 to {last}.")
        raise BadSetting(said.with_values(token_id=str(settings.biases[-1][0]), last=str(size - 1)))
