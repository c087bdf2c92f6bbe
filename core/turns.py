"""One model, many visitors: whoever asked first goes first, one forward pass at a time."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter


class Turns:
    """A fair lock. A visitor asks for one pass at a time, so first come, first served is also round robin among those who play."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._busy = False
        self._waiting: deque[threading.Event] = deque()

    @contextmanager
    def turn(self) -> Iterator[float]:
        """Wait for a turn and hold it; yields the seconds spent waiting."""
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
