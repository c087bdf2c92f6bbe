"""Playback scheduler: how often Play draws, and how many players share one machine without waiting for each other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from math import exp
from threading import Lock
from time import monotonic, thread_time
from typing import TYPE_CHECKING

import streamlit as st

from core.engine.fair_lock import FairLock
from pages.ui.session.current import current_session

if TYPE_CHECKING:
    from core import Generation
    from core.generation.replay import Replay
    from pages.ui.session.state import Session

SLOW = 1.0  # steps a second up to which both moments are shown, the odds and the roll
GONE = 4.0  # seconds after which somebody who has not drawn is no player any more; three pauses, where those are longer
BUSY = 0.6  # share of the time that the draws of all players may take together; the rest is for sending them and keeps clicks quick
MEMORY = 8.0  # seconds over which the time a draw takes is averaged
LONGEST = 1.0  # seconds that one draw counts at most: one slow prefill is no reason for everybody to wait
CHANGE = 1.4  # by what factor the fair pause must have moved before the clock is set anew
LATE = 2.0  # by what factor the clock of something else must be wrong before it is set anew
CROWDED = 2.0  # seconds between two draws of something else that moves by itself, at most
APART = 0.1  # seconds between two clocks that are set anew: it takes the whole page, and must not come from all at once


@dataclass
class PlaybackScheduler:
    """All who play now, in this process. spent, draws: the seconds that draws took lately and their number, fading."""

    spent: float = 0.01
    draws: float = 1.0
    noted: float = field(default_factory=monotonic)
    changed: float = 0.0
    seen: dict[int, float] = field(default_factory=dict)
    draw_lock: FairLock = field(default_factory=FairLock)  # one draws at a time: all at once would all be late
    lock: Lock = field(default_factory=Lock)

    def join(self, player: int) -> None:
        """Somebody plays from now on."""
        with self.lock:
            self.seen[player] = monotonic()

    def leave(self, player: int) -> None:
        """Somebody has stopped."""
        with self.lock:
            self.seen.pop(player, None)

    def note(self, player: int, seconds: float, draws: int = 1) -> None:
        """Somebody has drawn, and it took so long. draws: 0 for the lesser parts of the page, which cost time and are no step."""
        with self.lock:
            now = monotonic()
            fade, self.noted = exp((self.noted - now) / MEMORY), now
            self.spent = self.spent * fade + min(seconds, LONGEST)
            self.draws = self.draws * fade + draws
            self.seen[player] = now
            gone = max(GONE, 3 * self.fair_pause())
            self.seen = {one: last for one, last in self.seen.items() if now - last < gone}

    @property
    def players(self) -> int:
        """How many play now."""
        return len(self.seen)

    def fair_pause(self) -> float:
        """Seconds between two draws of one player, so that all together stay within what one process can do."""
        return self.players * self.spent / max(self.draws, 1e-3) / BUSY

    def may_change(self) -> bool:
        """Whether somebody's clock may be set anew just now."""
        with self.lock:
            now = monotonic()
            if now - self.changed < APART:
                return False
            self.changed = now
            return True


@cache
def scheduler() -> PlaybackScheduler:
    """The one floor of this process."""
    return PlaybackScheduler()


@contextmanager
def drawing(step: bool = True) -> Iterator[None]:
    """Around a draw: in Play, who came first draws first, and what it took is noted. What waits for a model must stay outside.

    step: whether this is the part that shows the step.
    """
    session = current_session()
    if not session.playing:
        yield
        return
    with scheduler().draw_lock.acquire_unloaded():
        began = monotonic()
        yield
        took = monotonic() - began
    scheduler().note(id(session), took, int(step))


def paced(seconds: float | None) -> float | None:
    """The clock of something else that moves by itself: where many play, it draws no more often than they do, but once in two seconds."""
    return seconds if seconds is None else max(seconds, min(CROWDED, scheduler().fair_pause()) if scheduler().players > 1 else 0.0)


def outpaced(clock: float, seconds: float) -> bool:
    """Whether something that `paced` gave this clock should have another by now, and may have it."""
    wanted = paced(seconds) or clock
    return not clock / LATE < wanted < clock * LATE and scheduler().may_change()


def too_fast_to_animate(speed: float) -> bool:
    """Whether it plays so fast that movements would only blur."""
    return current_session().playing and speed > 2


def interval(speed: float) -> float | None:
    """Seconds between two draws in Play, None when it is paused. At slow speeds every step is drawn twice, before and after its roll.

    Where many play at a time, everybody draws less often instead of everybody waiting.
    """
    session = current_session()
    if not session.playing or session.hidden:  # in a tab that nobody sees, Play rests and takes no share of the machine
        scheduler().leave(id(session))
        session.interval = 0.0
        return None
    scheduler().join(id(session))
    session.interval = _wanted(speed)
    return session.interval


def _own(speed: float) -> float:
    return 1 / speed / (2 if speed <= SLOW else 1)


def _wanted(speed: float) -> float:
    return max(_own(speed), scheduler().fair_pause()) if scheduler().players > 1 else _own(speed)


def shared(speed: float) -> tuple[int, float] | None:
    """How many share the machine and how many steps a second that leaves, if it is fewer than this visitor asked for."""
    session, own = current_session(), _own(speed)
    if not session.playing or session.interval <= own * CHANGE:
        return None
    return scheduler().players, speed * own / session.interval


def advance(made: Generation | Replay, speed: float) -> None:
    """The end of a draw in Play: make what the next one shows."""
    session = current_session()
    if not session.playing:
        if session.interval:  # Play has ended by itself: the clock stops, and the button says so
            st.rerun()
        return
    if session.hidden:
        return
    began = thread_time()
    with session.turn:
        _go_on(session, made, speed)
    scheduler().note(id(session), thread_time() - began, 0)
    wanted = _wanted(speed)
    if not session.interval / CHANGE < wanted < session.interval * CHANGE and scheduler().may_change():
        st.rerun()  # the clock of a fragment can only be set by the whole page


def _go_on(session: Session, made: Generation | Replay, speed: float) -> None:
    """One more step of what is still played; a verb may have come in between, from another script of this visitor."""
    if not session.playing or session.run is not made:
        return
    if made.finished:
        session.playing = False
        st.rerun()
    session.selected_index = None
    if speed <= SLOW and session.moment == "rolled":
        session.moment = "coming"
        made.next_distribution()
    else:
        session.moment = "rolled"
        made.step()
