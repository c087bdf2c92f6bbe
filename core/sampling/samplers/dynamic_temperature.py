"""Dynamic temperature: low where the model is certain, high where it is not."""

from __future__ import annotations

import math

import torch

from core.sampling.history import History
from core.sampling.observation import Processor
from core.sampling.samplers.contract import Sampler
from core.settings import SMALLEST_DIVISOR


class DynamicTemperature(Sampler):
    """Divides by T = low + (high - low) * (H / Hmax) ** exponent, with low and high = temperature -+ range.

    H: entropy of the probabilities. Hmax: logarithm of the number of tokens that are still there.
    """

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        return self._divided

    def _divided(self, _ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        settings = self.settings
        low, high = max(0.0, settings.temperature - settings.dynatemp_range), settings.temperature + settings.dynatemp_range
        entropy = torch.special.entr(scores.softmax(-1)).sum(-1, keepdim=True)
        largest = (scores > -math.inf).sum(-1, keepdim=True).clamp(min=2).log()
        share = (entropy / largest).clamp(0.0, 1.0)
        return scores / (low + (high - low) * share**settings.dynatemp_exponent).clamp(min=SMALLEST_DIVISOR)
