"""Penalties on tokens of the text: repetition penalty as in transformers, presence and frequency penalty by OpenAI's definition.

The repetition penalty is here for NumPy. The compiled step has its own (`backends/compiled/kernel_observe.py`); a GPU uses transformers'.
"""

from __future__ import annotations

import numpy as np

from core.sampling.history import History, window
from core.sampling.observation import Processor
from core.sampling.samplers.addition import Addition
from core.sampling.samplers.contract import Sampler


def repetition_penalty(scores: np.ndarray, penalty: float, previous_ids: np.ndarray) -> np.ndarray:
    """Return scores as RepetitionPenaltyLogitsProcessor: of tokens in the text, divided by the penalty, or multiplied if below zero."""
    try:
        old = scores[previous_ids]
    except IndexError:  # some models accept more token ids than they have logits
        previous_ids = previous_ids[previous_ids < len(scores)]
        old = scores[previous_ids]
    changed, factor = scores.copy(), np.float32(penalty)
    changed[previous_ids] = np.where(old < 0, old * factor, old / factor)
    return changed


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
