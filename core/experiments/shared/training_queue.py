"""The queue of the trainings of all visitors: first come, first served, and one runs at a time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

PATIENCE = 0.2  # seconds between two looks at the queue


@dataclass(frozen=True, slots=True)
class Waiting:
    """Another training is running. place: in the queue, 1 = next."""

    place: int


class TrainingQueue:
    """Tickets in the order of arrival; the training with the first one runs."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tickets: list[object] = []

    @contextmanager
    def ticket(self) -> Iterator[object]:
        """Hold a place in the queue within the `with` block."""
        mine = object()
        with self._lock:
            self._tickets.append(mine)
        try:
            yield mine
        finally:
            with self._lock:
                self._tickets.remove(mine)

    def before(self, ticket: object) -> int:
        """Return how many trainings are before this one; 0 if it may run."""
        with self._lock:
            return self._tickets.index(ticket)


QUEUE = TrainingQueue()


def in_turn(queue: TrainingQueue, ticket: object) -> Iterator[Waiting]:
    """Wait until this ticket is first in the queue; yield its place every PATIENCE seconds."""
    while position := queue.before(ticket):
        yield Waiting(position)
        threading.Event().wait(PATIENCE)


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of the training. why: "done", "time is up" or "enough tokens"."""

    why: str
