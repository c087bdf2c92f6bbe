"""KV cache pool: all sessions' caches of one model within a byte budget, least recently used first to give way."""

from __future__ import annotations

import weakref
from time import monotonic
from typing import TYPE_CHECKING

from core.limits import Limits

if TYPE_CHECKING:
    from core.engine.kv_cache.kv_cache import KVCache


class CachePool:
    """Keeps the caches of one model within a budget. Called while the model's turn is held, so no cache is in use but the current one.

    A cache that has to give way is emptied, never made wrong: its owner's next pass computes all positions once. Caches are held
    weakly, so that a visitor who has left frees theirs without a word.
    """

    def __init__(self, limits: Limits) -> None:
        self._budget = limits.cache_megabytes * 1_000_000
        self._idle = limits.idle_seconds
        self._used: weakref.WeakKeyDictionary[KVCache, float] = weakref.WeakKeyDictionary()
        self.dropped = 0

    def use(self, current: KVCache) -> None:
        """Note that this cache was just used, and empty those that were idle for too long or are too much."""
        now = monotonic()
        self._used.pop(current, None)
        self._used[current] = now  # the order of a dictionary is the order of use: the longest unused comes first
        held = self.bytes
        for cache, last in list(self._used.items()):
            idle = self._idle and now - last > self._idle
            over = self._budget and held > self._budget
            if not (idle or over):
                break
            if cache is current:
                continue
            held -= cache.held_bytes
            self._drop(cache)

    def clear(self) -> None:
        """Empty all caches: the weights they came from are unloaded."""
        for cache in list(self._used):
            self._drop(cache)

    def _drop(self, cache: KVCache) -> None:
        cache.clear()
        del self._used[cache]
        self.dropped += 1

    @property
    def bytes(self) -> int:
        """Bytes that all caches hold together, with the room they set aside: what is really gone from the machine's memory."""
        return sum(cache.held_bytes for cache in list(self._used))

    @property
    def count(self) -> int:
        """How many visitors hold a cache now."""
        return len(self._used)
