"""The same computations in the simplest way: no cache, no early exit, nothing imported from core."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch


def plain_logits(network: Any, token_ids: Sequence[int]) -> torch.Tensor:
    """The logits [vocabulary] after these tokens, from one full forward pass of transformers' model that keeps nothing."""
    with torch.inference_mode():
        return network(torch.tensor([list(token_ids)]), use_cache=False).logits[0, -1].float()


def assert_close(logits: torch.Tensor, expected: torch.Tensor, what: object = "the logits") -> None:
    """Two sets of logits differ by no more than another order of additions brings; they spread over about ten."""
    difference = (logits - expected).abs().max().item()
    assert difference < 2e-4, f"{what} differ by {difference}"


def plain_odds(network: Any, token_ids: Sequence[int]) -> np.ndarray:
    """The probabilities [vocabulary] after these tokens."""
    return torch.softmax(plain_logits(network, token_ids).double(), 0).numpy()


def agrees_with_a_plain_pass(step: Any, ids: list[int], network: Any) -> None:
    """Check a step that lists the whole vocabulary: its odds and rank are the model's own, its counts add up."""
    expected = plain_odds(network, ids[: step.position])
    shown = np.zeros(len(expected))
    for candidate in step.candidates:
        shown[candidate.token_id] = candidate.model_probability
    assert len(step.candidates) == len(expected)
    np.testing.assert_allclose(shown, expected, atol=2e-5)
    own = expected[step.token_id]
    assert 1 + (expected > own + 1e-6).sum() <= step.rank <= (expected > own - 1e-6).sum()
    assert step.forward.computed_tokens + step.forward.reused_tokens == step.position
    assert step.forward.computed_tokens >= 1
    assert step.forward.seconds > 0


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


def bytes_in(thing: Any) -> tuple[int, int]:
    """The bytes of all numbers with a fraction that hang on an object, however deep: of the tensors and arrays, and of what backs them."""
    seen: set[int] = set()
    held = 0
    backing: dict[int, int] = {}
    waiting = [thing]
    while waiting:
        part = waiting.pop()
        if id(part) in seen or isinstance(part, str | bytes | int | float | type(None) | type):
            continue
        seen.add(id(part))
        if isinstance(part, torch.Tensor):
            if part.is_floating_point():
                held += part.nbytes
                backing[part.untyped_storage().data_ptr()] = part.untyped_storage().nbytes()
        elif isinstance(part, np.ndarray):
            held += part.nbytes
            whole = part if part.base is None else part.base
            backing[id(whole)] = whole.nbytes if isinstance(whole, np.ndarray) else part.nbytes
        elif isinstance(part, dict):
            waiting += part.values()
        elif isinstance(part, list | tuple | set):
            waiting += part
        else:
            slots = [name for kind in type(part).__mro__ for name in getattr(kind, "__slots__", ())]
            waiting += [getattr(part, name) for name in slots if hasattr(part, name)]
            waiting += vars(part).values() if hasattr(part, "__dict__") else []
    return held, sum(backing.values())
