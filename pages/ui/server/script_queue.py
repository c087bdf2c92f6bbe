"""Queue for runs of the script: how many are in progress at once, and whose message is passed on next.

Runs share Python's interpreter lock, so each further one slows all others. Without a queue, a visitor who asks for the page again and again
is always in a run, and all others wait. With it, a message that starts a run waits while a few others have their turn. The turns go round
the addresses that wait, and within an address round its websockets. A run that takes longer than a turn goes on beside the next ones.

The first page of a visitor is the most work. Its run therefore asks for a second turn, which ends with the page. Few first pages have one
at once, and presses do not wait for them.
"""

from __future__ import annotations

import asyncio
import os
from concurrent.futures import Future, wait
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

AT_A_TIME = min(4, max(2, os.cpu_count() or 2))
FIRST_PAGES = max(2, (os.cpu_count() or 2) // 2)  # first pages that are drawn at once
LONGEST_TURN = 0.3  # seconds; the turn of a first page has no limit
ARRIVAL = 1.0  # seconds by which the first message of a websocket comes later than presses
HEAD_START = 0.25  # seconds since the last turn of an address that count as waiting
MOST_ADDRESSES = 1000


@dataclass(slots=True, eq=False)
class Runner:
    """One websocket, or the first page of one. turn: ends its turn, None without one or for a first page.

    asked: when its next message came, plus its patience. granted: done when that message is passed on, or the first page may be drawn.
    """

    address: str
    is_first_page: bool = False
    turn: asyncio.TimerHandle | None = None
    asked: float = 0.0
    granted: Future[None] = field(default_factory=Future)


class ScriptQueue:
    """The runs of this process. Not thread-safe but for `before`: for the event loop."""

    def __init__(self, at_a_time: int = AT_A_TIME, first_pages: int = FIRST_PAGES) -> None:
        self._at_a_time, self._first_pages = at_a_time, first_pages
        self._turns: set[Runner] = set()
        self._waiting: set[Runner] = set()
        self._served: dict[str, float] = {}  # when the last turn of each address began, earliest first

    def is_free_for(self, runner: Runner) -> bool:
        """Return whether `runner` need not wait."""
        return self._has_room(runner) and not any(other.is_first_page == runner.is_first_page for other in self._waiting)

    async def start(self, runner: Runner, leaving: asyncio.Task[Any], patience: float = 0.0) -> bool:
        """Return True when a message of `runner` that starts a run may be passed on, False if `leaving` is done before that.

        patience: seconds for which messages that come after it may go first.
        """
        runner.granted = Future()
        self.join(runner, patience)
        if not runner.granted.done():
            try:
                await asyncio.wait({leaving, asyncio.wrap_future(runner.granted)}, return_when=asyncio.FIRST_COMPLETED)
            finally:
                self._waiting.discard(runner)
        return runner.granted.done()

    def join(self, runner: Runner, patience: float = 0.0) -> None:
        """Give `runner` its turn now, or when `finish` and `leave` have made room for it."""
        if self.is_free_for(runner):
            self._begin(runner)
        else:
            runner.asked = monotonic() + patience
            self._waiting.add(runner)
            self._fill()

    def before(self, runner: Runner, seconds: float = 0.0) -> int:
        """Return how many must leave before `runner` has its turn, after a wait of at most `seconds` for it. For any thread."""
        if wait([runner.granted], seconds).done:
            return 0
        others = [other for other in tuple(self._waiting) if other.is_first_page == runner.is_first_page]
        return 1 + sum(self._order(other) < self._order(runner) for other in others)

    def finish(self, runner: Runner) -> None:
        """Note that the run of `runner` ended, or its websocket."""
        if runner.turn is not None:
            runner.turn.cancel()
            runner.turn = None
        self._turns.discard(runner)
        self._fill()

    def leave(self, runner: Runner) -> None:
        """Note that `runner` has no more runs, and waits for none."""
        self._waiting.discard(runner)
        self.finish(runner)

    def _has_room(self, runner: Runner) -> bool:
        beside = sum(other.is_first_page == runner.is_first_page for other in self._turns - {runner})
        return beside < (self._first_pages if runner.is_first_page else self._at_a_time)

    def _begin(self, runner: Runner) -> None:
        if runner.turn is not None:
            runner.turn.cancel()
        if not runner.is_first_page:
            runner.turn = asyncio.get_running_loop().call_later(LONGEST_TURN, self.finish, runner)
        self._turns.add(runner)
        self._served.pop(runner.address, None)
        self._served[runner.address] = monotonic()
        if len(self._served) > MOST_ADDRESSES:
            del self._served[next(iter(self._served))]
        runner.granted.set_result(None)

    def _fill(self) -> None:
        """Give the free turns away. A visitor whose own run has its turn waits for its end."""
        while able := [runner for runner in self._waiting - self._turns if self._has_room(runner)]:
            runner = min(able, key=self._order)
            self._waiting.discard(runner)
            self._begin(runner)

    def _order(self, runner: Runner) -> tuple[float, float]:
        """The first of several that wait: as if it had asked HEAD_START earlier, but not before the last turn of its address."""
        return max(runner.asked - HEAD_START, self._served.get(runner.address, 0.0)), runner.asked


QUEUE = ScriptQueue()
