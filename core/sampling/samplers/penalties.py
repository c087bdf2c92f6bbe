"""Presence and frequency penalty, by OpenAI's definition."""

from __future__ import annotations

import numpy as np
import torch

from core.device import to_device
from core.sampling.history import History, window
from core.sampling.observation import Processor
from core.sampling.samplers.contract import Sampler


class FrequencyPenalty(Sampler):
    """Subtracts the penalty from a token's logit as often as the token occurs."""

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        ids, counts = np.unique(window(history, self.settings, generated_only=True), return_counts=True)
        return subtracted(ids, counts * self.settings.frequency_penalty)


class PresencePenalty(Sampler):
    """Subtracts the penalty from the logit of every token that occurs."""

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        ids = np.unique(window(history, self.settings, generated_only=True))
        return subtracted(ids, np.full(len(ids), self.settings.presence_penalty))


def subtracted(ids: np.ndarray, amounts: np.ndarray) -> Processor:
    """Return a processor that subtracts these amounts, float64 [ids], from the scores of these tokens. Larger ids are ignored."""

    def process(_ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        known = ids < scores.shape[-1]  # some models accept more token ids than they have logits
        if not known.any():
            return scores
        places = to_device(ids[known], scores.device)
        change = to_device(-amounts[known].astype(np.float32), scores.device)
        return scores.index_add(1, places, change[None])

    return process
