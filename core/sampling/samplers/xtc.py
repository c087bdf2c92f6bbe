"""XTC (exclude top choices): sometimes excludes the likeliest tokens, so that a less likely one is chosen."""

from __future__ import annotations

import math

import torch

from core.sampling import dice
from core.sampling.history import History
from core.sampling.observation import Processor
from core.sampling.samplers.contract import Sampler


class XTC(Sampler):
    """With `xtc_probability`, of all tokens that reach `xtc_threshold` every one but the least likely is excluded.

    The throw depends on the seed and the step, and not on the attempt: all rolls of one step have the same distribution.
    """

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        if dice.stage_roll(self.settings.seed, history.index) >= self.settings.xtc_probability:
            return lambda _ids, scores: scores
        return self._excluded

    def _excluded(self, _ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        probabilities = scores.softmax(-1)
        reach = probabilities >= self.settings.xtc_threshold
        least = torch.where(reach, probabilities, math.inf).amin(-1, keepdim=True)
        return scores.masked_fill(reach & (probabilities > least), -math.inf)
