"""Play: steps of a run, no faster than its speed and than the browser draws them.

The stream of the view makes the steps that it sends, so that nobody computes what nobody reads. The players of a model make their steps
one after the other, in order of arrival, so that a press of anybody waits for one of them at most. Who gets fewer steps than asked for
because others play is told so.
"""

from __future__ import annotations

from collections import deque
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from core.engine.pass_queue import FairLock
from core.errors import RunFinished, ViewerError
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _, say
from pages.ui.session.notices import notify
from pages.ui.session.state import Session, current_session

if TYPE_CHECKING:
    from core.sources.source import Source

AHEAD = 16  # steps that may be sent before the view says that it has drawn them
SLOW = 1.0  # steps per second up to which a step is shown twice: its probabilities, then its roll
FASTEST = 120.0  # steps per second of Play as fast as it goes: two for each frame of a screen, so that it flows
COUNTED, FEWEST = 20, 5  # newest steps of a player that say how fast it is, and how many there must be
AWAY = 3.0  # seconds without a step after which somebody plays no more
NOTICED = 0.8  # share of the asked speed below which somebody is told


@dataclass(slots=True, eq=False)
class Players:
    """The players of a model. turn: whose step is next. steps: when each made its newest steps, in seconds of `monotonic`."""

    turn: FairLock = field(default_factory=FairLock)
    steps: WeakKeyDictionary[Session, deque[float]] = field(default_factory=WeakKeyDictionary)

    def note(self, session: Session, now: float) -> None:
        """Note a step of this player."""
        times = self.steps.setdefault(session, deque(maxlen=COUNTED))
        if times and now - times[-1] > AWAY:
            times.clear()
        times.append(now)

    def shared(self, session: Session, speed: float, now: float) -> tuple[int, float] | None:
        """Return the number of players and this one's steps per second, if others make it slower than `speed`.

        speed: steps per second, 0 for as many as possible.
        """
        times, players = self.steps.get(session), sum(now - steps[-1] <= AWAY for steps in list(self.steps.values()))
        if times is None or len(times) < FEWEST or players < 2:
            return None
        rate = (len(times) - 1) / (times[-1] - times[0])
        return (players, rate) if not speed or rate < NOTICED * speed else None


_players: WeakKeyDictionary[Source, Players] = WeakKeyDictionary()
_lock = Lock()


def _players_of(model: Source) -> Players:
    with _lock:
        return _players.setdefault(model, Players())


def turn(model: Source) -> AbstractContextManager[Any]:
    """Return the turn of a player among all players of this model."""
    return _players_of(model).turn.acquire_unloaded()


def crowd(session: Session) -> str:
    """Return how many play now and how fast it goes for this player, "" if others do not slow it."""
    if not session.player.playing or session.run is None:
        return ""
    shared = _players_of(session.run.model).shared(session, session.live.speed, monotonic())
    if shared is None:
        return ""
    return _("{players} visitors play now: {rate}").format(players=shared[0], rate=numbers.speed(round(shared[1], 1)))


@dataclass(slots=True)
class Pace:
    """When the next step of a player is due. Time that was lost is not made up for."""

    due: float = field(default_factory=monotonic)

    def left(self) -> float:
        """Return the seconds until the next step."""
        return max(0.0, self.due - monotonic())

    def passed(self, speed: float) -> None:
        """Note that a step was made. speed: steps per second, 0 for as fast as it goes."""
        pause = 1 / (speed or FASTEST) / (2 if 0 < speed <= SLOW else 1)
        self.due = max(self.due + pause, monotonic())


def may_step(session: Session) -> bool:
    """Return whether Play is on, and the view has drawn enough of what it was sent."""
    return session.player.playing and session.live.version - session.live.drawn < AHEAD


def play_on() -> None:
    """Show the acting visitor the next step in Play. Play ends where the run ends, or with an error, which becomes a notice."""
    session = current_session()
    run, live = session.run, session.live
    if not session.player.playing or run is None:
        return
    session.player.selected_index = None
    try:
        if 0 < live.speed <= SLOW and session.player.moment == "rolled" and run.finished is None:
            session.player.moment = "coming"
            run.next_distribution()
        else:
            session.player.moment = "rolled"
            run.step()
            _players_of(run.model).note(session, monotonic())
            session.player.playing = run.finished is None
    except RunFinished:
        session.player.playing = False
    except ViewerError as error:
        session.player.playing = False
        notify(say(error))
    live.count()  # its stream makes the step and need not be told
