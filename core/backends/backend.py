"""What runs a network: the interface of transformers' own pass and of the faster ones, and the tensors in its cache."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch

if TYPE_CHECKING:
    from core.backends.speed_trial import Speed


def cache_argument(network: Any) -> str | None:
    """Return the name under which this network takes transformers' cache; None if it takes none."""
    accepted = inspect.signature(network.forward).parameters
    return next((name for name in ("past_key_values", "cache_params") if name in accepted), None)


def cache_tensors(layer: Any) -> list[torch.Tensor]:
    """Return each tensor that a layer of transformers' cache keeps, under whatever name its class has for it."""
    kept = (tensor for name, value in vars(layer).items() if not name.startswith("_") for tensor in tensors_in(value))
    return list({id(tensor): tensor for tensor in kept}.values())


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors in a value, also in dictionaries and lists."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from tensors_in(part)


class Backend(Protocol):
    """Runs the network for one visitor at a time. A state holds the keys and values of a text, or what the architecture keeps instead."""

    def new_state(self) -> Any:
        """Return the state of an empty text."""

    def run(self, token_ids: np.ndarray, state: Any | None) -> torch.Tensor:
        """Append int64 ids [new] to the state; return float32 logits [vocabulary] after the last one. With None, nothing is kept."""

    def length(self, state: Any) -> int:
        """Return the number of tokens in the state."""

    def extend(self, state: Any, count: int) -> bool:
        """Return whether `count` more tokens can be computed in one pass."""

    def cut(self, state: Any, length: int) -> bool:
        """Drop all but the first `length` tokens. Return False if the state cannot be cut."""

    def bytes(self, state: Any) -> int:
        """Return the bytes in use: keys and values, or what the architecture keeps instead."""

    def held_bytes(self, state: Any) -> int:
        """Return the bytes of the allocated arrays, including the reserve for later tokens."""

    def choose_speed(self, threads: Sequence[int]) -> Speed:
        """Measure which of these numbers of threads, ascending, is fastest, and return it; see `core.backends.speed_trial`."""
