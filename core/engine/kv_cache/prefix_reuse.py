"""KV cache of one session: keys and values with their token ids, and how much of them the next pass uses again: the longest prefix."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np

from core.backends.backend import Backend


class KVCache:
    """One visitor's keys and values with their token ids.

    bytes: in use for these tokens. held_bytes: allocated, including the reserve for later tokens. computed_with: the key of the changes to
    the network that they were computed with, None for the unchanged network.
    """

    def __init__(self) -> None:
        self._ids = np.empty(64, dtype=np.int64)
        self.length = 0
        self.state: Any | None = None
        self.bytes = 0
        self.held_bytes = 0
        self.computed_with: Hashable = None

    def shared_prefix(self, ids: np.ndarray) -> int:
        """Return how many of these ids, counted from the first, the cache holds."""
        count = min(self.length, len(ids))
        same = self._ids[:count] == ids[:count]
        return count if same.all() else int(same.argmin())

    def cut_to_shared_prefix(self, ids: np.ndarray, backend: Backend, computed_with: Hashable = None) -> int:
        """Cut to the prefix shared with `ids`, at most all but one token, and return its length; clear the cache if it cannot be cut.

        A cache that was computed with other changes to the network shares nothing.
        """
        if computed_with != self.computed_with:
            self.clear()
            self.computed_with = computed_with
        if self.state is None:
            self.clear()
            return 0
        shared = min(self.shared_prefix(ids), len(ids) - 1)
        cut = shared == self.length or backend.cut(self.state, shared)
        if not cut or shared == 0 or not backend.extend(self.state, len(ids) - shared):
            self.clear()
            return 0
        return shared

    def keep(self, ids: np.ndarray, start: int) -> None:
        """Record that the cache now holds these ids. Those before `start` are already recorded."""
        if len(ids) > len(self._ids):
            grown = np.empty(max(2 * len(self._ids), len(ids)), dtype=np.int64)
            grown[: self.length] = self._ids[: self.length]
            self._ids = grown
        self._ids[start : len(ids)] = ids[start:]
        self.length = len(ids)

    def clear(self) -> None:
        """Free the memory. The next pass computes all tokens again."""
        self.length, self.bytes, self.held_bytes, self.state = 0, 0, 0, None
