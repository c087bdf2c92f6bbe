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
        waited = 0.0
        while True:
            with self.acquire_unloaded() as seconds:
                waited += seconds
                if self.reload is None:
                    try:
                        yield waited
                    finally:
                        self.last_used = monotonic()
                    return
                reload = self.reload
            began = perf_counter()
            reload()  # outside of the turn: whoever brings a model back may have to wait for the turns of others
            waited += perf_counter() - began

    @contextmanager
    def acquire_unloaded(self) -> Iterator[float]:
        """A turn at whatever is here, for those who put weights away and bring them back."""
        asked = perf_counter()
        mine: threading.Event | None = None
        with self._guard:
            if self._busy:
                mine = threading.Event()
                self._waiting.append(mine)
            self._busy = True
        if mine is not None:
            mine.wait()
        try:
            yield perf_counter() - asked if mine is not None else 0.0
        finally:
            with self._guard:
                if self._waiting:
                    self._waiting.popleft().set()
                else:
                    self._busy = False

    @property
    def waiting(self) -> int:
        """How many are in the queue now."""
        return len(self._waiting)
