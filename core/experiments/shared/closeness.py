"""How close one network is to another on the same text: divergence, likeliest tokens, perplexity, and where their texts part."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

from core.device import Stopwatch, enough_memory
from core.engine.architecture_limits import must_read_forward, possible_with
from core.engine.model import LanguageModel
from core.message import Message


class Closeness:
    """A comparison along a text. kl: divergence after each token, nats. kept: whether both have the same likeliest token there."""

    __slots__ = ()
    kl: tuple[float, ...]
    kept: tuple[bool, ...]

    @property
    def mean_kl(self) -> float:
        """Mean divergence over the text, nats."""
        return float(np.mean(self.kl))

    @property
    def top1_kept(self) -> float:
        """Fraction of places with the same likeliest token."""
        return float(np.mean(self.kept))


def read_text(model: LanguageModel, network: Any, ids: np.ndarray, tries: int = 1, **settings: Any) -> tuple[torch.Tensor, float]:
    """Return the log-probabilities after every token, natural logarithm, float64 [tokens, vocabulary], and the seconds of the fastest pass.

    network: the model's own or a changed copy of it. settings: of its pass. Raises NoRoom, NotForThisModel.
    """
    must_read_forward(model)
    message = Message("There is not enough memory to read {count} tokens at once. Use a shorter text.", count=len(ids))
    text, times = torch.from_numpy(ids)[None].to(model.engine.device), []
    for _each in range(tries):
        with enough_memory(message), possible_with(model.name), model.engine.lock.acquire(), torch.inference_mode():
            stopwatch = Stopwatch(model.engine.device)
            logits = network(text, **{"use_cache": False} | settings).logits[0]
            stopwatch.stop()
            times.append(stopwatch.seconds)
    return logits.double().log_softmax(-1).cpu(), min(times)


def divergence(full: torch.Tensor, logs: torch.Tensor) -> tuple[float, ...]:
    """Return for each row the sum of p log (p / q), nats. full, logs: log-probabilities of p and q, float64 [tokens, vocabulary]."""
    shares = full.exp()
    sums = torch.where(shares > 0, shares * (full - logs), 0.0).sum(1).clamp(min=0)
    return tuple(map(float, sums))


def perplexity(logs: torch.Tensor, ids: np.ndarray) -> float:
    """Return exp of the mean negative log-probability of the tokens; NaN for a single token. logs: float64 [tokens, vocabulary]."""
    if len(ids) < 2:
        return math.nan
    given = logs[:-1].gather(1, torch.from_numpy(ids[1:])[:, None])
    return math.exp(min(700.0, -float(given.mean())))


def first_difference(left: Sequence[int], right: Sequence[int]) -> int | None:
    """Return the first place at which two texts differ, None if they are equal.

    >>> first_difference([1, 2], [1, 3]), first_difference([1], [1, 2]), first_difference([1], [1])
    (1, 1, None)
    """
    shared = min(len(left), len(right))
    return next((index for index in range(shared) if left[index] != right[index]), None if len(left) == len(right) else shared)


def sized(probabilities: np.ndarray, size: int) -> np.ndarray:
    """Return `probabilities` cut or zero-padded to `size` entries. Only padding rows of the vocabulary differ, and they have no weight."""
    if len(probabilities) >= size:
        return probabilities[:size]
    return np.concatenate([probabilities, np.zeros(size - len(probabilities))])
