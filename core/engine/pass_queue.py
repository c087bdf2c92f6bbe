"""Whose forward pass is next: a FIFO lock for each model, which also waits until an unloaded model's weights are back."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, perf_counter


class FairLock:
    """A FIFO lock. Each visitor requests one pass at a time, so FIFO is also round robin between visitors.

    reload: loads an unloaded model's weights; None while they are loaded. last_used: when the last turn ended (time.monotonic).
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._busy = False
        self._waiting: deque[threading.Event] = deque()
        self.reload: Callable[[], None] | None = None
        self.last_used = monotonic()

    @contextmanager
    def acquire(self) -> Iterator[float]:
        """Wait for a turn and hold it, with the weights loaded. Yields the seconds of waiting. Raises what `reload` raises."""
        waited = self._take()
        while self.reload is not None:
            reload = self.reload
            self._give()
            began = perf_counter()
            reload()  # outside of the turn, because reload may wait for the locks of other models
            waited += perf_counter() - began + self._take()
        try:
            yield waited
        finally:
            self.last_used = monotonic()
            self._give()

    @contextmanager
    def acquire_unloaded(self) -> Iterator[float]:
        """Wait for a turn without loading the weights; for code that loads and unloads them. Yields the seconds of waiting."""
        waited = self._take()
        try:
            yield waited
        finally:
            self._give()

    def _take(self) -> float:
        """Wait for a turn; return the seconds of waiting."""
        with self._guard:
            if not self._busy:
                self._busy = True
                return 0.0
            mine = threading.Event()
            self._waiting.append(mine)
        asked = perf_counter()
        mine.wait()
        return perf_counter() - asked

    def _give(self) -> None:
        """Pass the turn to the first in the queue."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._busy = False

    @property
    def waiting(self) -> int:
        """The number of requests in the queue."""
        return len(self._waiting)
