"""The same things, the plain way: what core shows is compared with this. No cache, no early exit, nothing imported from core."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import torch


def plain_logits(network: Any, token_ids: Sequence[int]) -> torch.Tensor:
    """The logits [vocabulary] after these tokens, from one full forward pass of transformers' model that keeps nothing."""
    with torch.inference_mode():
        return network(torch.tensor([list(token_ids)]), use_cache=False).logits[0, -1].float()


def plain_odds(network: Any, token_ids: Sequence[int]) -> np.ndarray:
    """The probabilities [vocabulary] after these tokens."""
    return torch.softmax(plain_logits(network, token_ids).double(), 0).numpy()


def bits(probabilities: np.ndarray) -> float:
    """Shannon's entropy in bits."""
    some = probabilities[probabilities > 0]
    return float(-(some * np.log2(some)).sum())


def chi_square_limit(degrees: int, deviations: float = 4.0) -> float:
    """The chi-square value that chance exceeds about once in 30,000 times (4 deviations), by Wilson and Hilferty (1931)."""
    spread = 2 / (9 * degrees)
    return degrees * (1 - spread + deviations * math.sqrt(spread)) ** 3


def chi_square(counts: np.ndarray, probabilities: np.ndarray) -> tuple[float, int]:
    """Pearson's statistic and its degrees of freedom; cells that expect fewer than five are thrown together."""
    total = counts.sum()
    order = np.argsort(probabilities)[::-1]
    large = [i for i in order if probabilities[i] * total >= 5]
    seen = np.array([*counts[large], total - counts[large].sum()])
    expected = np.array([*(probabilities[large] * total), total * (1 - probabilities[large].sum())])
    if expected[-1] < 5:
        seen, expected = np.append(seen[:-2], seen[-2:].sum()), np.append(expected[:-2], expected[-2:].sum())
    return float(((seen - expected) ** 2 / expected).sum()), len(seen) - 1


def tensors_in(thing: Any) -> Iterable[torch.Tensor]:
    """Every tensor that hangs on an object, however deep, each storage once."""
    seen: set[int] = set()
    storages: set[int] = set()
    waiting = [thing]
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, str | bytes | int | float | type(None) | type):
            continue
        seen.add(id(part))
        if isinstance(part, torch.Tensor):
            if part.untyped_storage().data_ptr() not in storages:
                storages.add(part.untyped_storage().data_ptr())
                yield part
        elif isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list | tuple | set):
            waiting += part
        else:
            slots = [name for kind in type(part).__mro__ for name in getattr(kind, "__slots__", ())]
            waiting += [getattr(part, name) for name in slots if hasattr(part, name)]
            waiting += vars(part).values() if hasattr(part, "__dict__") else []
