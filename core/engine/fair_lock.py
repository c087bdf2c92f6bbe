"""Fair lock (FIFO request queue) before a model: whoever asked first goes first, one forward pass at a time."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic, perf_counter


class FairLock:
    """A fair lock. A visitor asks for one pass at a time, so first come, first served is also round robin among those who play.

    reload: brings back a model whose weights were unloaded; None while they are here. last_used: when the last turn ended (time.monotonic).
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._busy = False
        self._waiting: deque[threading.Event] = deque()
        self.reload: Callable[[], None] | None = None
        self.last_used = monotonic()

    @contextmanager
    def acquire(self) -> Iterator[float]:
        """Wait for a turn and hold it, with the weights here; yields the seconds spent waiting. Raises what `reload` raises."""
        waited = self._take()
        while self.reload is not None:
            reload = self.reload
            self._give()
            began = perf_counter()
            reload()  # outside of the turn: whoever brings a model back may have to wait for the turns of others
            waited += perf_counter() - began + self._take()
        try:
            yield waited
        finally:
            self.last_used = monotonic()
            self._give()

    @contextmanager
    def acquire_unloaded(self) -> Iterator[float]:
        """A turn at whatever is here, for those who put weights away and bring them back."""
        waited = self._take()
        try:
            yield waited
        finally:
            self._give()

    def _take(self) -> float:
        """Wait for a turn; the seconds that took."""
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
        """Let the next one have the turn."""
        with self._guard:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._busy = False

    @property
    def waiting(self) -> int:
        """How many are in the queue now."""
        return len(self._waiting)
