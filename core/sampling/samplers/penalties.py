"""Presence and frequency penalty, by OpenAI's definition."""

from __future__ import annotations

import numpy as np

from core.sampling.history import History, window
from core.sampling.observation import Processor
from core.sampling.samplers.addition import Addition
from core.sampling.samplers.contract import Sampler


class FrequencyPenalty(Sampler):
    """Subtracts the penalty from a token's logit as often as the token occurs."""

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        ids, counts = np.unique(window(history, self.settings, generated_only=True), return_counts=True)
        return Addition(ids, (-self.settings.frequency_penalty * counts).astype(np.float32))


class PresencePenalty(Sampler):
    """Subtracts the penalty from the logit of every token that occurs."""

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        ids = np.unique(window(history, self.settings, generated_only=True))
        return Addition(ids, np.full(len(ids), -self.settings.presence_penalty, np.float32))
