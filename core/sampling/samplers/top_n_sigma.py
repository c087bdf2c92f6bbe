"""Top-n-sigma (Tang et al. 2024): keeps the logits within n standard deviations of the largest one."""

from __future__ import annotations

import math

import torch

from core.sampling.history import History
from core.sampling.observation import Processor
from core.sampling.samplers.contract import Sampler


class TopNSigma(Sampler):
    """Keeps logits of at least max - n x the population standard deviation of the logits that are still there."""

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        return self._kept

    def _kept(self, _ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        there = scores > -math.inf
        count = there.sum(-1, keepdim=True)
        known = torch.where(there, scores, 0).to(torch.float64 if scores.device.type != "mps" else scores.dtype)
        mean = known.sum(-1, keepdim=True) / count
        variance = torch.where(there, (known - mean) ** 2, 0).sum(-1, keepdim=True) / count
        least = scores.amax(-1, keepdim=True) - self.settings.top_n_sigma * variance.sqrt()
        return scores.masked_fill(scores < least, -math.inf)
