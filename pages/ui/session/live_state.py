"""What the live view and the routes of the run share of one session: its key, the version of what is shown, and which presses were done."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from secrets import randbelow, token_urlsafe
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from pages.ui.server.rate_limit import RateLimiter

if TYPE_CHECKING:
    from pages.ui.session.state import Session

VIEWS = 16  # views of one session whose presses are remembered; a tab has a new view after a reload
PRESSES, PRESSES_AT_ONCE = 60.0, 300.0  # presses of one session in a second; a key that is held down makes 30
WINDOW = 256  # numbers of presses: how far behind the highest one a press may arrive


class Presses:
    """Which presses of each view were done. A view is a random name; its presses have the numbers 1, 2, 3 and so on."""

    def __init__(self) -> None:
        self._done: OrderedDict[str, set[int]] = OrderedDict()

    def is_new(self, view: str, number: int) -> bool:
        """Note this press, and return whether it was not done before. Raises LookupError for a number that is too far behind."""
        numbers = self._done.pop(view, set())
        self._done[view] = numbers
        if len(self._done) > VIEWS:
            self._done.popitem(last=False)
        if number in numbers:
            return False
        lowest = max(numbers, default=0) - WINDOW
        if number <= lowest:
            raise LookupError(number)
        numbers.add(number)
        if len(numbers) > 2 * WINDOW:
            numbers -= {old for old in numbers if old <= lowest}
        return True


@dataclass(frozen=True, slots=True)
class Scene:
    """What a page shows in place of the usual view, as JSON, and what its own presses do; they send an object that `act` checks."""

    show: Callable[[], dict[str, Any]]
    act: Callable[[Mapping[str, Any]], None]


@dataclass(frozen=True, slots=True)
class Drawn:
    """What a view has drawn: the number of the run, and the node of its newest token (0: the prompt alone)."""

    run: int
    node: int


NOTHING = Drawn(0, 0)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to the newest press. view: whose press it was. version: in the answer, 0 as long as there is none. drawn: by it."""

    view: str = ""
    version: int = 0
    drawn: Drawn = NOTHING


@dataclass(slots=True)
class Player:
    """moment: "coming" (next-token distribution) or "rolled" (newest step). selected_index: a reopened step. clicks: number of actions."""

    moment: str = "coming"
    selected_index: int | None = None
    playing: bool = False
    clicks: int = 0


@dataclass(slots=True, eq=False)
class LiveState:
    """key: opens the routes of the run, for the view alone. version: counts what changed. run_number: counts the runs, from
    a number that no other session has, so that a view never takes one run for another.

    speed: steps per second in Play, 0 for as fast as it goes. rows, folded: how many bars the view shows, and whether excluded ones share
    a line. listener: called after a change by the thread that made it; the open stream of the view sets it. progress: the newest stream of
    what is in progress. drawn: the version that the view has drawn in Play. waiting: requests that have not been answered. scene: of the
    page that is open, None for the usual view. page_shows: what the page shows outside the view (see `live/page_needs.py`);
    page_shows_step: whether that changes with every step.
    """

    key: str = field(default_factory=lambda: token_urlsafe(16))
    version: int = 1
    run_number: int = field(default_factory=lambda: randbelow(2**40))
    speed: float = 5.0
    rows: int = 8
    folded: bool = True
    presses: Presses = field(default_factory=Presses)
    listener: Callable[[], None] | None = None
    progress: object = None
    answered: Answer = field(default_factory=Answer)
    drawn: int = 0
    waiting: int = 0
    scene: Scene | None = None
    page_shows: tuple[Any, ...] = ()
    page_shows_step: bool = False
    rate: RateLimiter = field(default_factory=lambda: RateLimiter(PRESSES, PRESSES_AT_ONCE))

    def changed(self) -> None:
        """Count a change of what the view shows, and tell its stream."""
        self.count()
        self.tell()

    def count(self) -> None:
        """Count a change of what the view shows."""
        self.version += 1

    def tell(self) -> None:
        """Let the stream of the view look what has happened."""
        listener = self.listener
        if listener is not None:
            listener()

    def is_told(self, view: str) -> bool:
        """Return whether this view knows the present version by the answer to its press, or will know it soon."""
        return self.answered.view == view and self.answered.version in (0, self.version)


class OpenSessions:
    """The sessions by the key of their view. A session ends with Streamlit's own, or with the last request that holds it."""

    def __init__(self) -> None:
        self._sessions: WeakValueDictionary[str, Session] = WeakValueDictionary()
        self._lock = Lock()

    def add(self, session: Session) -> None:
        """Let the routes find this session by its key."""
        with self._lock:
            self._sessions[session.live.key] = session

    def find(self, key: str) -> Session | None:
        """Return the session with this key, None if there is none."""
        with self._lock:
            return self._sessions.get(key)


OPEN = OpenSessions()
