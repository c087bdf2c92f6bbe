"""What runs a network: the interface of transformers' own pass and of the faster ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    import torch

    from core.backends.cache_bytes import CacheBytes
    from core.device import Speed


class Backend(Protocol):
    """Runs the network for one visitor at a time. A state holds the keys and values of a text, or what the architecture keeps instead."""

    def new_state(self) -> Any:
        """Return the state of an empty text."""

    def run(self, token_ids: np.ndarray, state: Any | None) -> torch.Tensor:
        """Append int64 ids [new] to the state; return float32 logits [vocabulary] after the last one. With None, nothing is stored."""

    def length(self, state: Any) -> int:
        """Return the number of tokens in the state."""

    def extend(self, state: Any, count: int) -> bool:
        """Return whether `count` more tokens can be computed in one pass."""

    def cut(self, state: Any, length: int) -> bool:
        """Drop all but the first `length` tokens. Return False if the state cannot be cut."""

    def cache_bytes(self, state: Any) -> CacheBytes:
        """Return the bytes of a state, in use and allocated."""

    def choose_speed(self, threads: Sequence[int]) -> Speed:
        """Measure which of these numbers of threads, ascending, is fastest, and return it; see `core.backends.speed_trial`."""
