"""The KV caches of all sessions of one model within a budget: the least recently used one is cleared first."""

from __future__ import annotations

import weakref
from time import monotonic

from core.engine.kv_cache.prefix_reuse import KVCache
from core.limits import Limits


class CachePool:
    """Keeps the caches of one model within a budget. The caller holds the model's lock, so only the current cache is in use.

    A cleared cache costs its owner one pass over all positions. References to caches are weak, so a visitor's memory is freed when the
    visitor leaves.
    """

    def __init__(self, limits: Limits) -> None:
        self._budget = limits.cache_megabytes * 1_000_000
        self._idle = limits.idle_seconds
        self._used: weakref.WeakKeyDictionary[KVCache, float] = weakref.WeakKeyDictionary()
        self.dropped = 0

    def use(self, current: KVCache) -> None:
        """Record that this cache was just used. Clear caches that were idle too long, or the oldest ones if over the budget."""
        now = monotonic()
        self._used.pop(current, None)
        self._used[current] = now  # a dictionary keeps insertion order, so the least recently used comes first
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
        """Clear all caches, because the model's weights are being unloaded."""
        for cache in list(self._used):
            self._drop(cache)

    def _drop(self, cache: KVCache) -> None:
        cache.clear()
        del self._used[cache]
        self.dropped += 1

    @property
    def bytes(self) -> int:
        """Allocated bytes of all caches, including their reserves."""
        return sum(cache.held_bytes for cache in list(self._used))

    @property
    def count(self) -> int:
        """The number of visitors who hold a cache."""
        return len(self._used)
