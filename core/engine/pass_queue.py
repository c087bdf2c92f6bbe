"""Whose forward pass is next: a lock for each model, FIFO, with presses before experiments. It also waits until an unloaded model's weights
are back.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic, perf_counter

LONGEST_BEHIND = 0.5  # seconds for which others may go before a pass in the background

_in_background: ContextVar[bool] = ContextVar("in_background", default=False)


@contextmanager
def in_background() -> Iterator[None]:
    """Let all others go before the passes of this thread: they wait for the pass in progress at most."""
    token = _in_background.set(True)
    try:
        yield
    finally:
        _in_background.reset(token)


class FairLock:
    """A FIFO lock. Each visitor requests one pass at a time, so FIFO is also round robin between visitors.

    Requests of threads that work `in_background` come after all others, but after LONGEST_BEHIND seconds before them.

    reload: loads an unloaded model's weights; None while they are loaded. last_used: when the last turn ended (time.monotonic).
    """

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._busy = False
        self._waiting: deque[threading.Event] = deque()
        self._behind: deque[tuple[threading.Event, float]] = deque()  # in the background; with the time of the request
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
            mine, asked = threading.Event(), perf_counter()
            if _in_background.get():
                self._behind.append((mine, asked))
            else:
                self._waiting.append(mine)
        mine.wait()
        return perf_counter() - asked

    def _give(self) -> None:
        """Pass the turn to the next in the queue."""
        with self._guard:
            is_overdue = bool(self._behind) and perf_counter() - self._behind[0][1] > LONGEST_BEHIND
            if self._waiting and not is_overdue:
                self._waiting.popleft().set()
            elif self._behind:
                self._behind.popleft()[0].set()
            else:
                self._busy = False

    @property
    def waiting(self) -> int:
        """The number of requests in the queue."""
        return len(self._waiting) + len(self._behind)
