"""Mirostat 2 (Basu et al. 2021): excludes tokens whose surprise exceeds a limit mu, which follows the text."""

from __future__ import annotations

import math

import torch

from core.errors import BadSetting
from core.sampling.history import History
from core.sampling.observation import Processor
from core.sampling.samplers.contract import Sampler
from core.settings import SamplingSettings


class Mirostat(Sampler):
    """Excludes tokens with a surprise above mu bits; the likeliest token always stays. The record shows mu as the setting."""

    def at(self, history: History) -> Processor:
        """See `Sampler`. Raises BadSetting if the caller does not keep mu from token to token."""
        return lambda _ids, scores: _excluded(scores, self._mu(history))

    def setting_at(self, history: History, setting: float) -> float:
        """Return mu."""
        return self._mu(history)

    def _mu(self, history: History) -> float:
        if history.mu is not None:
            return history.mu
        if history.index:
            raise BadSetting("Mirostat keeps a state from token to token, which this experiment does not. Switch mirostat off.")
        return 2 * self.settings.mirostat_tau


def _excluded(scores: torch.Tensor, mu: float) -> torch.Tensor:
    surprise = scores.log_softmax(-1) / -math.log(2)
    return scores.masked_fill((surprise > mu) & (scores < scores.amax(-1, keepdim=True)), -math.inf)


def next_mu(mu: float, probability: float, settings: SamplingSettings) -> float:
    """Return mu after a token that had this probability after mirostat: mu - eta * (surprise - tau)."""
    surprise = -math.log2(max(probability, 5e-324))
    return mu - settings.mirostat_eta * (surprise - settings.mirostat_tau)
