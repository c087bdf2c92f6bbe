"""Play: how often it draws, and what it makes for the next draw; and how many players share one machine without waiting for each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic, thread_time

import streamlit as st

from pages.parts.visit import here, run

SLOW = 1.0  # steps a second up to which both moments are shown, the odds and the roll
GONE = 4.0  # seconds after which somebody who has not drawn is no player any more
AROUND = 2.0  # a draw costs the server about as much again for sending it
BUSY = 0.7  # share of one core that players may take together; the rest keeps clicks quick
CHANGE = 1.4  # by what factor the fair pause must have moved before the clock is set anew
SETTLE = 3.0  # seconds between two such settings


@dataclass
class Floor:
    """All who play now, in this process. draw: processor seconds a draw takes, measured and smoothed."""

    draw: float = 0.01
    seen: dict[int, float] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def note(self, player: int, seconds: float) -> None:
        """Somebody has drawn, and it took so long."""
        with self.lock:
            now = monotonic()
            self.seen[player] = now
            self.seen = {one: last for one, last in self.seen.items() if now - last < GONE}
            self.draw += 0.05 * (min(seconds, 0.2) - self.draw)

    @property
    def players(self) -> int:
        """How many play now."""
        return len(self.seen)

    def fair_pause(self) -> float:
        """Seconds between two draws of one player, so that all together stay within what one process can do."""
        return self.players * self.draw * AROUND / BUSY


@st.cache_resource
def floor() -> Floor:
    """The one floor of this process."""
    return Floor()


@contextmanager
def drawing() -> Iterator[None]:
    """Around a draw in Play: notes what it took."""
    began = thread_time()
    yield
    if here().playing:
        floor().note(id(here()), thread_time() - began)


def hurried(speed: float) -> bool:
    """Whether it plays so fast that movements would only blur."""
    return here().playing and speed > 2


def pace(speed: float) -> float | None:
    """Seconds between two draws in Play, None when it is paused. At slow speeds every step is drawn twice, before and after its roll.

    Where many play at a time, everybody draws less often instead of everybody waiting.
    """
    visitor = here()
    if not visitor.playing:
        visitor.beat = 0.0
        return None
    visitor.beat, visitor.beat_set = _wanted(speed), monotonic()
    return visitor.beat


def _wanted(speed: float) -> float:
    own = 1 / speed / (2 if speed <= SLOW else 1)
    return max(own, floor().fair_pause()) if floor().players > 1 else own


def shared(speed: float) -> tuple[int, float] | None:
    """How many share the machine and how many steps a second that leaves, if it is fewer than this visitor asked for."""
    visitor = here()
    own = 1 / speed / (2 if speed <= SLOW else 1)
    if not visitor.playing or visitor.beat <= own * CHANGE:
        return None
    return floor().players, speed * own / visitor.beat


def advance(speed: float) -> None:
    """The end of a draw in Play: make what the next one shows."""
    visitor, made = here(), run()
    if not visitor.playing:
        if visitor.beat:  # Play has ended by itself: the clock stops, and the button says so
            st.rerun()
        return
    if made.finished:
        visitor.playing = False
        st.rerun()
    visitor.opened = None
    if speed <= SLOW and visitor.moment == "rolled":
        visitor.moment = "coming"
        made.coming()
    else:
        visitor.moment = "rolled"
        made.step()
    wanted = _wanted(speed)
    if not visitor.beat / CHANGE < wanted < visitor.beat * CHANGE and monotonic() - visitor.beat_set > SETTLE:
        st.rerun()  # the clock of a fragment can only be set by the whole page
