"""Play: steps of a run, no faster than its speed and than the browser draws them.

The stream of the view makes the steps that it sends, so that nobody computes what nobody reads. The players of a model make their steps
one after the other, in order of arrival, so that a press of anybody waits for one of them at most.
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from core.engine.pass_queue import FairLock
from core.errors import RunFinished, ViewerError
from pages.ui.i18n.translation import say
from pages.ui.session.notices import notify
from pages.ui.session.state import current_session

if TYPE_CHECKING:
    from core.sources.source import Source

SLOW = 1.0  # steps per second up to which a step is shown twice: its probabilities, then its roll
_turns: WeakKeyDictionary[Source, FairLock] = WeakKeyDictionary()
_lock = Lock()


def turn(model: Source) -> AbstractContextManager[Any]:
    """Return the turn of a player among all players of this model."""
    with _lock:
        return _turns.setdefault(model, FairLock()).acquire_unloaded()


@dataclass(slots=True)
class Pace:
    """When the next step of a player is due. Time that was lost is not made up for."""

    due: float = field(default_factory=monotonic)

    def left(self) -> float:
        """Return the seconds until the next step."""
        return max(0.0, self.due - monotonic())

    def passed(self, speed: float) -> None:
        """Note that a step was made. speed: steps per second, 0 for as fast as it goes."""
        pause = 1 / speed / (2 if speed <= SLOW else 1) if speed else 0.0
        self.due = max(self.due + pause, monotonic())


def play_on() -> None:
    """Show the acting visitor the next step in Play. Play ends where the run ends, or with an error, which becomes a notice."""
    session = current_session()
    run, live = session.run, session.live
    if not session.playing or run is None:
        return
    session.selected_index = None
    try:
        if 0 < live.speed <= SLOW and session.moment == "rolled" and run.finished is None:
            session.moment = "coming"
            run.next_distribution()
        else:
            session.moment = "rolled"
            run.step()
            session.playing = run.finished is None
    except RunFinished:
        session.playing = False
    except ViewerError as error:
        session.playing = False
        notify(say(error))
    live.version += 1
