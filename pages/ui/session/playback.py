"""Play of one visitor: how often the page draws, and what the next draw shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, thread_time
from typing import TYPE_CHECKING

import streamlit as st

from pages.ui.server.playback_scheduler import scheduler
from pages.ui.session.current import current_session

if TYPE_CHECKING:
    from core import Generation
    from core.generation.replay import Replay
    from pages.ui.session.state import Session

SLOW = 1.0  # steps a second up to which both moments are shown, the odds and the roll
CHANGE = 1.4  # by what factor the fair pause must have moved before the clock is set anew
LATE = 2.0  # by what factor the clock of something else must be wrong before it is set anew
CROWDED = 2.0  # seconds between two draws of something else that moves by itself, at most


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
