"""Play of one visitor: its clock, set from the pause that the scheduler gives, and what the next draw shows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic, thread_time
from typing import TYPE_CHECKING

import streamlit as st

from pages.ui.components.browser import browser
from pages.ui.server.playback_scheduler import SLOW, pause_alone, scheduler
from pages.ui.session.current import current_session

if TYPE_CHECKING:
    from core import Generation
    from pages.ui.session.state import Session


KEY = "visibility"


def watch_visibility() -> None:
    """Receive changes of the tab's visibility. app.py calls this once per page."""
    browser.visibility(KEY, _changed)


def every(seconds: float | None) -> float | None:
    """Return the seconds between two draws of a part that redraws itself, None while the page is hidden."""
    return None if current_session().hidden else seconds


def _changed() -> None:
    current_session().hidden = getattr(st.session_state.get(KEY), "hidden", None) is True


CHANGE = 1.4  # factor by which the fair pause must change before the clock is set again
LATE = 2.0  # factor by which the clock of an experiment must be wrong before it is set again
CROWDED = 2.0  # longest pause in seconds between two draws of an experiment


@contextmanager
def drawing(step: bool = True) -> Iterator[None]:
    """Draw in order of arrival while Play is on, and note the time it took. Do not wait for a model inside.

    step: whether this part shows the step.
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
    """Return the pause between two draws of an experiment: with many players no shorter than theirs, at most CROWDED."""
    return seconds if seconds is None else max(seconds, min(CROWDED, scheduler().fair_pause()) if scheduler().players > 1 else 0.0)


def outpaced(clock: float, seconds: float) -> bool:
    """Return whether an experiment with this clock needs another one, and may set it now."""
    wanted = paced(seconds) or clock
    return not clock / LATE < wanted < clock * LATE and scheduler().may_change()


def too_fast_to_animate(speed: float) -> bool:
    """Return whether Play is too fast for animations."""
    return current_session().playing and speed > 2


def interval(speed: float) -> float | None:
    """Return the seconds between two draws in Play, None when it is paused.

    At slow speeds every step is drawn twice, before and after its roll. With many players, each draws less often instead of waiting.
    """
    session = current_session()
    if not session.playing or session.hidden:  # Play pauses in a hidden tab
        scheduler().leave(id(session))
        session.interval = 0.0
        return None
    scheduler().join(id(session))
    session.interval = scheduler().pause(speed)
    return session.interval


def shared(speed: float) -> tuple[int, float] | None:
    """Return the number of players and the steps per second for each, if that is fewer than this visitor asked for."""
    session, own = current_session(), pause_alone(speed)
    if not session.playing or session.interval <= own * CHANGE:
        return None
    return scheduler().players, speed * own / session.interval


def advance(run: Generation, speed: float) -> None:
    """Compute what the next draw in Play shows."""
    session = current_session()
    if not session.playing:
        if session.interval:  # Play ended by itself: rerun, so that the clock stops and the button changes
            st.rerun()
        return
    if session.hidden:
        return
    began = thread_time()
    with session.action_lock:
        _go_on(session, run, speed)
    scheduler().note(id(session), thread_time() - began, 0)
    wanted = scheduler().pause(speed)
    if not session.interval / CHANGE < wanted < session.interval * CHANGE and scheduler().may_change():
        st.rerun()  # the clock of a fragment can only be set by the whole page


def _go_on(session: Session, run: Generation, speed: float) -> None:
    """Make one more step, unless another script of this visitor has stopped Play or replaced the run."""
    if not session.playing or session.run is not run:
        return
    if run.finished:
        session.playing = False
        st.rerun()
    session.selected_index = None
    if speed <= SLOW and session.moment == "rolled":
        session.moment = "coming"
        run.next_distribution()
    else:
        session.moment = "rolled"
        run.step()
