"""Queue for runs of the script: how many are in progress at once, and whose message is passed on next.

Runs share Python's interpreter lock, so each further one slows all others. Without a queue, a visitor who asks for the page again and again
is always in a run, and all others wait. With it, a message that starts a run waits while a few others have their turn. The turns go round
the addresses that wait, and within an address round its websockets. A run that takes longer than a turn goes on beside the next ones.
"""

from __future__ import annotations

import asyncio
import os
from dataclasses import dataclass
from time import monotonic
from typing import Any

AT_A_TIME = min(4, max(2, os.cpu_count() or 2))
LONGEST_TURN = 0.3  # seconds
CLOCK, ARRIVAL = 0.5, 1.0  # seconds by which a clock's message, and the first one of a websocket, come later than presses
HEAD_START = 0.25  # seconds since the last turn of an address that count as waiting
MOST_ADDRESSES = 1000


@dataclass(slots=True, eq=False)
class Runner:
    """One websocket. turn: ends its turn, None without one.

    asked: when its next message came, plus its patience. waiting: done when that message is passed on.
    """

    address: str
    turn: asyncio.TimerHandle | None = None
    asked: float = 0.0
    waiting: asyncio.Future[bool] | None = None


class RunQueue:
    """The runs of this process. Not thread-safe: for the event loop."""

    def __init__(self, at_a_time: int = AT_A_TIME) -> None:
        self._at_a_time = at_a_time
        self._turns: set[Runner] = set()
        self._waiting: set[Runner] = set()
        self._served: dict[str, float] = {}  # when the last turn of each address began, earliest first

    def is_free_for(self, runner: Runner) -> bool:
        """Return whether `runner` need not wait."""
        return not self._waiting and len(self._turns - {runner}) < self._at_a_time

    async def start(self, runner: Runner, leaving: asyncio.Task[Any], patience: float = 0.0) -> bool:
        """Return True when a message of `runner` that starts a run may be passed on, False if `leaving` is done before that.

        patience: seconds for which messages that come after it may go first.
        """
        if self.is_free_for(runner):
            self._begin(runner)
            return True
        runner.asked = monotonic() + patience
        runner.waiting = asyncio.get_running_loop().create_future()
        self._waiting.add(runner)
        self._fill()
        try:
            await asyncio.wait({leaving, runner.waiting}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._waiting.discard(runner)
        return runner.waiting.done()

    def finish(self, runner: Runner) -> None:
        """Note that the run of `runner` ended, or its websocket."""
        if runner.turn is not None:
            runner.turn.cancel()
            runner.turn = None
        self._turns.discard(runner)
        self._fill()

    def _begin(self, runner: Runner) -> None:
        if runner.turn is not None:
            runner.turn.cancel()
        runner.turn = asyncio.get_running_loop().call_later(LONGEST_TURN, self.finish, runner)
        self._turns.add(runner)
        self._served.pop(runner.address, None)
        self._served[runner.address] = monotonic()
        if len(self._served) > MOST_ADDRESSES:
            del self._served[next(iter(self._served))]

    def _fill(self) -> None:
        """Give the free turns away. A visitor whose own run has its turn waits for its end."""
        while len(self._turns) < self._at_a_time and (able := self._waiting - self._turns):
            runner = min(able, key=self._order)
            self._waiting.discard(runner)
            if runner.waiting is not None and not runner.waiting.done():
                self._begin(runner)
                runner.waiting.set_result(True)

    def _order(self, runner: Runner) -> tuple[float, float]:
        """The first of several that wait: as if it had asked HEAD_START earlier, but not before the last turn of its address."""
        return max(runner.asked - HEAD_START, self._served.get(runner.address, 0.0)), runner.asked


QUEUE = RunQueue()
