"""Play: how often it draws, and how many players share one machine without waiting for each other; the clock of one visitor's Play."""

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

from core.engine.pass_queue import FairLock
from pages.ui.components.browser import browser
from pages.ui.session.state import current_session

if TYPE_CHECKING:
    from core import Generation
    from pages.ui.session.state import Session


GONE = 4.0  # seconds without a draw after which a player is forgotten; three pauses if that is longer
BUSY = 0.5  # share of the time that all draws together may take; the rest sends them and answers clicks
MEMORY = 8.0  # seconds over which the time of a draw is averaged
LONGEST = 1.0  # largest time in seconds that one draw counts, so that one slow prefill does not slow all players
SLOW = 1.0  # steps per second up to which a step is drawn twice
APART = 0.1  # seconds between two changes of clocks, because each change reruns a whole page
KEY = "visibility"
CHANGE = 1.4  # factor by which the fair pause must change before the clock is set again
LATE = 2.0  # factor by which the clock of an experiment must be wrong before it is set again
CROWDED = 2.0  # longest pause in seconds between two draws of an experiment


@dataclass
class PlaybackScheduler:
    """The players of this process. spent, draws: seconds of recent draws and their number, both decaying."""

    spent: float = 0.01
    draws: float = 1.0
    noted: float = field(default_factory=monotonic)
    changed: float = 0.0
    seen: dict[int, float] = field(default_factory=dict)
    draw_lock: FairLock = field(default_factory=FairLock)  # one player draws at a time
    lock: Lock = field(default_factory=Lock)

    def join(self, player: int) -> None:
        """Add a player."""
        with self.lock:
            self.seen[player] = monotonic()

    def leave(self, player: int) -> None:
        """Remove a player."""
        with self.lock:
            self.seen.pop(player, None)

    def note(self, player: int, seconds: float, draws: int = 1) -> None:
        """Note the seconds of a player's draw. draws: 0 for parts of the page that show no step."""
        with self.lock:
            now = monotonic()
            fade, self.noted = exp((self.noted - now) / MEMORY), now
            self.spent = self.spent * fade + min(seconds, LONGEST)
            self.draws = self.draws * fade + draws
            self.seen[player] = now
            gone = max(GONE, 3 * self.fair_pause())
            self.seen = {other_player: last for other_player, last in self.seen.items() if now - last < gone}

    @property
    def players(self) -> int:
        """The number of players."""
        return len(self.seen)

    def fair_pause(self) -> float:
        """Return the seconds between two draws of one player that keep all players within BUSY."""
        return self.players * self.spent / max(self.draws, 1e-3) / BUSY

    def pause(self, speed: float) -> float:
        """Return the seconds between two draws of a player with this speed (steps per second), at least `fair_pause`."""
        return max(pause_alone(speed), self.fair_pause()) if self.players > 1 else pause_alone(speed)

    def may_change(self) -> bool:
        """Return whether a clock may be changed now, and note the change."""
        with self.lock:
            now = monotonic()
            if now - self.changed < APART:
                return False
            self.changed = now
            return True


def pause_alone(speed: float) -> float:
    """Return the seconds between two draws of a player that is alone. A slow one draws every step twice, before and after its roll."""
    return 1 / speed / (2 if speed <= SLOW else 1)


@cache
def scheduler() -> PlaybackScheduler:
    """Return the scheduler of this process."""
    return PlaybackScheduler()


def watch_visibility() -> None:
    """Receive changes of the tab's visibility. app.py calls this once per page."""
    browser.visibility(KEY, _changed)


def every(seconds: float | None) -> float | None:
    """Return the seconds between two draws of a part that redraws itself, None while the page is hidden."""
    return None if current_session().hidden else seconds


def _changed() -> None:
    current_session().hidden = getattr(st.session_state.get(KEY), "hidden", None) is True


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
    if not session.playing or session.interval <= own * CHANGE or scheduler().players < 2:
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
