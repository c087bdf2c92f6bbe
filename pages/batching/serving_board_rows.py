"""The rows of the serving board.

A board shows time spans, texts, slots and KV blocks, updated with each iteration of a server.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from core.batching.batch_server import Iteration
from core.batching.request import RequestState
from core.experiments.batching.compared_policies import Served
from core.experiments.shared.planned_requests import PlannedRequest

TOUCH = 1e-9  # seconds; spans closer than this are one


@dataclass(slots=True)
class SideRows:
    """One server. spans: [start, stop, kind] per request; slots: [start, stop, rows]; texts: written text per request."""

    spans: list[list[list[Any]]]
    texts: list[str]
    done: list[bool]
    slots: list[list[float]] = field(default_factory=list)
    blocks: tuple[int, ...] = ()
    iterations: list[Iteration] = field(default_factory=list)

    @property
    def clock(self) -> float:
        """Return the end of the last iteration in seconds."""
        return self.iterations[-1].stop if self.iterations else 0.0


@dataclass(slots=True)
class Board:
    """All servers. who: the requests; read: number of observations that were added."""

    who: Sequence[PlannedRequest]
    sides: list[SideRows]
    read: int = 0

    @classmethod
    def of(cls, who: Sequence[PlannedRequest], sides: int = 2) -> Board:
        """Return a board before the first iteration."""
        return cls(
            who, [SideRows([[] for _request in who], ["" for _request in who], [False for _request in who]) for _side in range(sides)]
        )

    def take(self, observations: Sequence[Served]) -> None:
        """Add the new ones of all observations so far."""
        for served in observations[self.read :]:
            self._add(self.sides[served.side], served.iteration)
        self.read = len(observations)

    def _add(self, side: SideRows, iteration: Iteration) -> None:
        side.iterations.append(iteration)
        side.blocks = iteration.blocks
        _extend(side.slots, iteration.start, iteration.stop, iteration.rows)
        for part in iteration.progress:
            mine = side.spans[part.request_id]
            if not mine and self.who[part.request_id].arrival < iteration.start:
                _extend(mine, self.who[part.request_id].arrival, iteration.start, "queued")
            _extend(mine, iteration.start, iteration.stop, kind(part.state, part.tokens))
            side.texts[part.request_id] += part.text
        for request in iteration.finished:
            side.done[request.request_id] = True


def kind(state: RequestState, tokens: int) -> str:
    """Return the kind of a request's time in one iteration."""
    if state is RequestState.PREEMPTED:
        return "preempted"
    if state is RequestState.WAITING:
        return "queued"
    if tokens == 0:
        return "stalled"
    return "prefill" if state is RequestState.PREFILLING else "decode"


def _extend(spans: list[list[Any]], start: float, stop: float, what: Any) -> None:
    """Extend the last span if this one continues it, otherwise add a span."""
    if spans and spans[-1][2] == what and start - spans[-1][1] <= TOUCH:
        spans[-1][1] = stop
    else:
        spans.append([start, stop, what])
