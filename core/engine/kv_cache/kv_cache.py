"""KV cache of one session with longest-prefix matching: keys and values, and the token ids they belong to."""

from __future__ import annotations

from typing import Any

import numpy as np


class KVCache:
    """One visitor's keys and values, and the tokens they belong to.

    bytes: what these tokens take. held_bytes: what the arrays take that hold them, with the room for tokens to come.
    """

    def __init__(self) -> None:
        self._ids = np.empty(64, dtype=np.int64)
        self.length = 0
        self.state: Any | None = None
        self.bytes = 0
        self.held_bytes = 0

    def shared_prefix(self, ids: np.ndarray) -> int:
        """How many of these ids, from the first on, are held."""
        count = min(self.length, len(ids))
        same = self._ids[:count] == ids[:count]
        return count if same.all() else int(same.argmin())

    def keep(self, ids: np.ndarray, start: int) -> None:
        """Note that the cache now holds these ids; those before `start` were there already."""
        if len(ids) > len(self._ids):
            grown = np.empty(max(2 * len(self._ids), len(ids)), dtype=np.int64)
            grown[: self.length] = self._ids[: self.length]
            self._ids = grown
        self._ids[start : len(ids)] = ids[start:]
        self.length = len(ids)

    def clear(self) -> None:
        """Give the memory back. The next pass computes everything again."""
        self.length, self.bytes, self.held_bytes, self.state = 0, 0, 0, None
