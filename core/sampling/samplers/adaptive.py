"""Samplers that follow the shape of the distribution: dynamic temperature, top-n-sigma, XTC and mirostat."""

from __future__ import annotations

import math

import torch

from core.errors import BadSetting
from core.sampling import dice
from core.sampling.observation import History, Processor
from core.sampling.samplers.contract import Sampler
from core.sampling.settings import SMALLEST_DIVISOR, SamplingSettings


class DynamicTemperature(Sampler):
    """Divides by T = low + (high - low) * (H / Hmax) ** exponent, with low and high = temperature -+ range.

    H: entropy of the probabilities. Hmax: logarithm of the number of tokens that are still there.

    Three equally likely tokens have H = Hmax, so T = 1 + 0.5:

    >>> beginning = History([], 0, bytes)
    >>> DynamicTemperature(SamplingSettings(temperature=1.0, dynatemp_range=0.5)).at(beginning)(None, torch.tensor([[3.0, 3.0, 3.0]]))
    tensor([[2., 2., 2.]])
    """

    stage = "dynamic temperature"
    local = True

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


class TopNSigma(Sampler):
    """Top-n-sigma (Tang et al. 2024): keeps logits of at least max - n x the population standard deviation of those still there.

    The deviation of 5, 3 and 1 is 1.63, so 1.5 of them keep 5 - 2.45 = 2.55 and more:

    >>> beginning = History([], 0, bytes)
    >>> TopNSigma(SamplingSettings(top_n_sigma=1.5)).at(beginning)(None, torch.tensor([[5.0, 3.0, 1.0]]))
    tensor([[5., 3., -inf]])
    """

    stage = "top-n-sigma"
    local = True

    def at(self, history: History) -> Processor:
        """See `Sampler`."""
        return self._near_the_largest

    def _near_the_largest(self, _ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        finite = scores > -math.inf
        count = finite.sum(-1, keepdim=True)
        values = torch.where(finite, scores, 0).to(torch.float64 if scores.device.type != "mps" else scores.dtype)
        mean = values.sum(-1, keepdim=True) / count
        variance = torch.where(finite, (values - mean) ** 2, 0).sum(-1, keepdim=True) / count
        least = scores.amax(-1, keepdim=True) - self.settings.top_n_sigma * variance.sqrt()
        return scores.masked_fill(scores < least, -math.inf)


class XTC(Sampler):
    """Exclude top choices. With `xtc_probability`, of all tokens that reach `xtc_threshold` every one but the least likely is excluded.

    The throw depends on the seed and the step, and not on the attempt: all rolls of one step have the same distribution.

    Of the probabilities 0.67, 0.24 and 0.09, two reach 0.2, and the less likely of the two stays:

    >>> beginning = History([], 0, bytes)
    >>> XTC(SamplingSettings(xtc_probability=1.0, xtc_threshold=0.2)).at(beginning)(None, torch.tensor([[3.0, 2.0, 1.0]]))
    tensor([[-inf, 2., 1.]])
    """

    stage = "XTC"
    local = True

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


class Mirostat(Sampler):
    """Mirostat 2 (Basu et al. 2021): excludes tokens with a surprise above mu bits; the likeliest one stays. The record shows mu.

    mu begins at 2 tau. The surprises are 0.59, 2.03 and 3.47 bits:

    >>> beginning = History([], 0, bytes)
    >>> Mirostat(SamplingSettings(mirostat_tau=1.25)).at(beginning)(None, torch.tensor([[3.0, 2.0, 1.0]]))
    tensor([[3., 2., -inf]])
    """

    stage = "mirostat"
    local = True

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
    """Return mu after a token that had this probability after mirostat: mu - eta * (surprise - tau).

    >>> next_mu(6.0, 0.25, SamplingSettings(mirostat_tau=3.0, mirostat_eta=0.1))  # 6 - 0.1 x (2 - 3)
    6.1
    """
    surprise = -math.log2(max(probability, 5e-324))
    return mu - settings.mirostat_eta * (surprise - settings.mirostat_tau)
