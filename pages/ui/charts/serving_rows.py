"""What the servers' iterations look like on the board: spans of time per reader, texts, slots and blocks; read once, as they come."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from core.batching.request import RequestState
from core.batching.server import Iteration
from core.experiments.batching import Reader, Served

TOUCH = 1e-9  # seconds; spans closer than this are one


@dataclass(slots=True)
class SideRows:
    """One server's side. spans: [start, stop, kind] per reader; slots: [start, stop, rows]; texts: what each wrote."""

    spans: list[list[list[Any]]]
    texts: list[str]
    done: list[bool]
    slots: list[list[float]] = field(default_factory=list)
    blocks: tuple[int, ...] = ()
    iterations: list[Iteration] = field(default_factory=list)

    @property
    def clock(self) -> float:
        """How far this server's clock has come, seconds."""
        return self.iterations[-1].stop if self.iterations else 0.0


@dataclass(slots=True)
class Board:
    """Both sides, and how many observations they were read from."""

    who: Sequence[Reader]
    sides: list[SideRows]
    read: int = 0

    @classmethod
    def of(cls, who: Sequence[Reader], sides: int = 2) -> Board:
        """A board before anything has happened."""
        return cls(who, [SideRows([[] for _reader in who], ["" for _reader in who], [False for _reader in who]) for _side in range(sides)])

    def take(self, seen: Sequence[Served]) -> None:
        """Read what is new among all observations so far."""
        for served in seen[self.read :]:
            self._add(self.sides[served.side], served.iteration)
        self.read = len(seen)

    def _add(self, side: SideRows, done: Iteration) -> None:
        side.iterations.append(done)
        side.blocks = done.blocks
        _extend(side.slots, done.start, done.stop, done.rows)
        for part in done.progress:
            mine = side.spans[part.request_id]
            if not mine and self.who[part.request_id].arrival < done.start:
                _extend(mine, self.who[part.request_id].arrival, done.start, "queued")
            _extend(mine, done.start, done.stop, kind(part.state, part.tokens))
            side.texts[part.request_id] += part.text
        for one in done.finished:
            side.done[one.request_id] = True


def kind(state: RequestState, tokens: int) -> str:
    """What a reader's time in one iteration is called on the board."""
    if state is RequestState.PREEMPTED:
        return "preempted"
    if state is RequestState.WAITING:
        return "queued"
    if tokens == 0:
        return "stalled"
    return "prefill" if state is RequestState.PREFILLING else "decode"


def _extend(spans: list[list[Any]], start: float, stop: float, what: Any) -> None:
    """Make the last span longer where this one goes on with the same, otherwise add it."""
    if spans and spans[-1][2] == what and start - spans[-1][1] <= TOUCH:
        spans[-1][1] = stop
    else:
        spans.append([start, stop, what])
