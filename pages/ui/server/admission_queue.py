"""Queue for first page renders, so that many new visitors do not slow each other down."""

from __future__ import annotations

import os
from threading import Condition

AT_A_TIME = max(2, (os.cpu_count() or 2) // 2)


class AdmissionQueue:
    """First come, first served; so many at a time."""

    def __init__(self, at_a_time: int = AT_A_TIME) -> None:
        self._at_a_time = at_a_time
        self._there: list[object] = []  # in the order of coming; the first few have their turn
        self._moved = Condition()

    def join(self) -> object:
        """A place at the end of it."""
        place = object()
        with self._moved:
            self._there.append(place)
        return place

    def before(self, place: object, seconds: float = 0.0) -> int:
        """How many have to be done before this one has a turn; asked again when the line moves, or after so many seconds."""
        with self._moved:
            ahead = self._ahead(place)
            if ahead and seconds:
                self._moved.wait(seconds)
                ahead = self._ahead(place)
            return ahead

    def leave(self, place: object) -> None:
        """Done, or gone."""
        with self._moved:
            self._there.remove(place)
            self._moved.notify_all()

    def _ahead(self, place: object) -> int:
        return max(0, self._there.index(place) - self._at_a_time + 1)


QUEUE = AdmissionQueue()
