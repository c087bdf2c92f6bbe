"""Queue for first page renders, so that many new visitors do not slow each other down."""

from __future__ import annotations

import os
from threading import Condition

AT_A_TIME = max(2, (os.cpu_count() or 2) // 2)


class FirstPageQueue:
    """A queue in order of arrival, in which `at_a_time` visitors are served at once."""

    def __init__(self, at_a_time: int = AT_A_TIME) -> None:
        self._at_a_time = at_a_time
        self._there: list[object] = []  # in order of arrival; the first `at_a_time` are served
        self._moved = Condition()

    def join(self) -> object:
        """Return a new place at the end of the queue."""
        place = object()
        with self._moved:
            self._there.append(place)
        return place

    def before(self, place: object, seconds: float = 0.0) -> int:
        """Return how many must leave before this place has its turn, after a wait of at most `seconds` for a change."""
        with self._moved:
            ahead = self._ahead(place)
            if ahead and seconds:
                self._moved.wait(seconds)
                ahead = self._ahead(place)
            return ahead

    def leave(self, place: object) -> None:
        """Remove this place from the queue."""
        with self._moved:
            self._there.remove(place)
            self._moved.notify_all()

    def _ahead(self, place: object) -> int:
        return max(0, self._there.index(place) - self._at_a_time + 1)


QUEUE = FirstPageQueue()
