"""Threads that compute one step together: each makes the same call with its own number, and they synchronise inside it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock, Semaphore, Thread
from typing import Any

import numpy as np


class Team:
    """Helper threads that sleep between steps. A caller that finds them busy works alone."""

    def __init__(self) -> None:
        self._busy = Lock()
        self._helpers: list[_Helper] = []

    def run(self, work: Callable[..., None], arguments: tuple[Any, ...], size: int) -> None:
        """Call work(*arguments, me, team, sync) on `size` threads at once, this one included; return when all are done.

        work must release the GIL, because its threads wait for each other. sync: the address of an int64 that is 0.
        """
        meeting = np.zeros(8, np.int64)
        if size < 2 or not self._busy.acquire(blocking=False):
            work(*arguments, 0, 1, meeting.ctypes.data)
            return
        try:
            while len(self._helpers) < size - 1:
                self._helpers.append(_Helper())
            helpers = self._helpers[: size - 1]
            for number, helper in enumerate(helpers, 1):
                helper.begin(work, (*arguments, number, size, meeting.ctypes.data))
            work(*arguments, 0, size, meeting.ctypes.data)
            for helper in helpers:
                helper.finish()
        finally:
            self._busy.release()

    def __del__(self) -> None:
        for helper in getattr(self, "_helpers", ()):  # none in a team that was never made whole
            helper.leave()


class _Helper:
    """A thread that runs one task at a time and ends with its team."""

    def __init__(self) -> None:
        self._wanted, self._done = Semaphore(0), Semaphore(0)
        self._task: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        Thread(target=_help, args=(self._wanted, self._done, self._task), name="decode", daemon=True).start()

    def begin(self, work: Callable[..., None], arguments: tuple[Any, ...]) -> None:
        self._task.append((work, arguments))
        self._wanted.release()

    def finish(self) -> None:
        self._done.acquire()

    def leave(self) -> None:
        self._wanted.release()


def _help(wanted: Semaphore, done: Semaphore, task: list[tuple[Callable[..., None], tuple[Any, ...]]]) -> None:
    while wanted.acquire() and task:
        work, arguments = task.pop()
        work(*arguments)
        del work, arguments
        done.release()
