"""Session state: what is kept of one visitor, and how they are told things. Pages come here through `current`."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import wraps
from secrets import token_hex
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, Any, ParamSpec
from weakref import WeakSet

import streamlit as st

from core import language as languages
from core import list_models
from core.errors import ViewerError
from core.language import _, say
from core.limits import Limits
from pages.ui.server import published_models
from pages.ui.session import share_link

if TYPE_CHECKING:
    from core import Generation
    from core.engine.model import LanguageModel
    from core.generation.replay import Replay

log = logging.getLogger(__name__)

_KEY = "_session"
P = ParamSpec("P")


@dataclass(frozen=True, slots=True)
class Notice:
    """One sentence for the visitor. place: the key of what was pressed, beside which it stands; "" at the head of the page."""

    text: str
    place: str = ""


@dataclass(slots=True)
class _Action:
    """Something a visitor does; what is said of it has one place."""

    place: str = ""


_ACTION: ContextVar[_Action | None] = ContextVar("action", default=None)


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A run that another one took the place of, with all that is needed to have it back. here: the node on which it stood."""

    run: Generation | Replay
    here: int
    begun_with: tuple[str, str, bool]
    moment: str


@dataclass(slots=True, eq=False, weakref_slot=True)
class Session:
    """One visitor's state. moment: "coming" (the odds before the roll) or "rolled" (the step just made); opened: a past step looked at."""

    run: Generation | Replay | None = None
    begun_with: tuple[str, str, bool] | None = None  # the model, the prompt and whether as a chat the run was begun with, or refused for
    run_of: tuple[str, str, bool] | None = None  # the same of the run that is there, whatever was refused since
    refusal: ViewerError | None = None  # why there is no run of the text that is asked for
    moment: str = "coming"
    selected_index: int | None = None
    playing: bool = False
    interval: float = 0.0  # seconds between two draws in Play
    hidden: bool = False  # whether their browser shows another tab in front of the page
    evictions_seen: int = 0  # how often the run's model had been unloaded when the visitor last knew
    clicks: int = 0
    names: list[str] = field(default_factory=list)  # models the visitor added by name
    servers: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)  # of the servers among them: tokenizer and key
    notes: list[Notice] = field(default_factory=list)  # what there is to tell of the latest action
    next_page_notices: list[str] = field(default_factory=list)  # what is to be told on the page that one is being led to
    page: str | None = None  # the page they are on
    head: Any = None  # the place at the head of that page where a notice may still come
    place: dict[str, str] = field(default_factory=dict)  # what that page adds to the address: a stop of the tour, say
    shown_notices: set[Notice] = field(default_factory=set)  # what stands somewhere on that page
    replay_steps: str | None = None  # the steps a link asks for
    link: dict[str, str] = field(default_factory=dict)  # what the address asked for when the session began
    saved_widget_values: dict[str, Any] = field(default_factory=dict)  # model and settings as they stood last, by key
    set_values: dict[str, tuple[Any, Any, float]] = field(default_factory=dict)  # see `session/set_values`: before, now, since when
    browser_storage_key: str = ""  # the name of a text that the browser keeps and is asked for
    draws: int = 0  # how often the page was drawn
    answered: bool = False  # whether the browser has told what it knows of a text from before
    name: str = field(default_factory=lambda: token_hex(6))  # under which the browser keeps a text that is too long for an address
    saved_run: SavedRun | None = None  # what the run in hand took the place of
    requested: share_link.RequestedModel | None = None  # a model that the link asks for and nobody has opened yet
    taught: dict[str, LanguageModel] = field(default_factory=dict)  # models that the visitor taught or opened, by name
    results: dict[str, Any] = field(default_factory=dict)  # what experiments have found, by name
    action_lock: Any = field(default_factory=RLock)  # held by whatever changes what is kept here; see `error_boundary`
    first_page_drawn: bool = False  # whether their first page has had its turn
    operator: bool = False  # whether they typed the operator's password
    language: str = ""  # the code of the one that they chose; "" while it is the browser's
    seen: float = field(default_factory=monotonic)  # when they were last heard of

    def begin_from(self, query: Mapping[str, str]) -> None:
        """Take over what an address asks for, as far as it is possible."""
        bundled = [entry.name for entry in list_models()] + published_models.names()
        self.link, self.browser_storage_key = dict(query), query.get("kept", "")[:40]
        self.requested = share_link.requested_model(query, bundled)
        if self.requested is not None:  # a password may have stood in it
            self.link["model"] = self.requested.model
        if query.get("model", bundled[0] if bundled else "") in bundled:  # another model would write another text by the same steps
            self.replay_steps = query.get("steps")
        if query.get("lang") in languages.languages():
            self.language = query["lang"]
            languages.use(self.language)
        strange = share_link.invalid_values(query, bundled)
        if strange:
            self.notes.append(
                Notice(
                    _("The link held something that is not possible here ({what}); the usual value is used instead.").format(
                        what=", ".join(strange)
                    )
                )
            )

    def open_page(self, path: str) -> None:
        """A page is about to be drawn. On another one than before nothing goes on playing by itself, neither there nor on the way back."""
        if self.page != path:
            self.playing, self.place = False, {}
            for one in self.results.values():
                if getattr(one, "playing", False):
                    one.playing = False
                if getattr(one, "of_page", False):
                    one.stop()

    def save_run(self) -> None:
        """Another text is about to take the place of this one: keep it, with the place on which it stands, if anything was written."""
        if self.run is not None and self.run.path and self.run_of is not None:
            self.saved_run = SavedRun(self.run, self.run.here, self.run_of, self.moment)


@st.cache_resource
def _active_sessions() -> WeakSet[Session]:
    """All who are here now; whoever leaves is forgotten with their session."""
    return WeakSet()


def admit() -> bool:
    """Whether there is room for this visitor; the limit is TOKEN_VIEWER_VISITORS. A seat that nobody sat on for long is given to them."""
    house, limits = _active_sessions(), Limits.from_environment()
    session, most = current_session(), limits.visitors
    session.seen = monotonic()
    if session not in house and most and len(house) >= most:
        idlest = min(house, key=lambda one: one.seen)
        if not limits.seat_seconds or monotonic() - idlest.seen < limits.seat_seconds:
            return False
        house.discard(idlest)
    house.add(session)
    return True


def active_sessions() -> list[Session]:
    """All who have a seat now."""
    return list(_active_sessions())


def current_session() -> Session:
    """This visitor's state, made on the first call from what the link asks for."""
    known = st.session_state.get(_KEY)
    if known is None:
        known = st.session_state[_KEY] = Session()
        known.begin_from(st.query_params.to_dict())
        if known.requested is not None and known.requested.model != st.query_params["model"]:  # a password stood in the address
            st.query_params["model"] = known.requested.model
    known.seen = monotonic()
    return known


def known_session() -> Session | None:
    """This visitor's state, if there is any yet."""
    known = st.session_state.get(_KEY)
    return known if isinstance(known, Session) else None


def results() -> dict[str, Any]:
    """What this visitor's experiments have found so far, by name: it outlasts a rerun and a change of page."""
    return current_session().results


def session_started() -> bool:
    """Whether this session came in through app.py, which knows all pages (see `frame.page`)."""
    return "_entered" in st.session_state


def start_session() -> None:
    """Remember that this session came in through app.py, and what its link asks for."""
    st.session_state["_entered"] = True
    current_session()


def begin_page(page: str) -> None:
    """The visitor is on this page; on another than before, nothing that was said there follows them but what was meant for here."""
    session = current_session()
    session.open_page(page)
    session.draws += 1
    if session.page is not None and session.page != page:
        session.notes.clear()
    session.notes += [Notice(sentence) for sentence in session.next_page_notices]
    session.next_page_notices.clear()
    session.page, session.head, session.shown_notices = page, None, set()


def error_boundary(verb: Callable[P, None]) -> Callable[P, None]:
    """An action of the visitor: what was said of the last one goes, and what goes wrong becomes one sentence (see `at` for its place).

    One at a time: a script whose connection was lost, or that was told to stop, goes on until the pass that it is in is over, while the
    next one runs already.
    """

    @wraps(verb)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> None:
        with current_session().action_lock:
            act(*args, **kwargs)

    def act(*args: P.args, **kwargs: P.kwargs) -> None:
        inside_another = _ACTION.get() is not None
        if not inside_another:
            current_session().notes.clear()
        action = _ACTION.set(_ACTION.get() or _Action())
        try:
            verb(*args, **kwargs)
        except ViewerError as error:
            if error is not current_session().refusal:  # that is said where the run would be
                notify(say(error))
        except Exception:
            log.exception("%s failed", verb.__name__)
            notify(_("Something went wrong here, and it is our fault. What you made is still there; try again."))
        finally:
            _ACTION.reset(action)

    return guarded


@error_boundary
def clear_notices() -> None:
    """A control was changed. For `on_change` of those that do nothing else: what was said of the last action goes."""


PERSISTENT: dict[str, Any] = {
    "persist_state": "session",
    "on_change": clear_notices,
}  # for every control of a page: on coming back it is as it was


def anchor_notices(place: str) -> None:
    """What is said of this action from here on stands beside what has this key; the page draws it with `elements.notices(place)`."""
    action = _ACTION.get()
    if action is not None:
        action.place = place


def notify(sentence: str) -> None:
    """Tell the visitor something; it stays until they do something else."""
    action, session = _ACTION.get(), current_session()
    if all(note.text != sentence for note in session.notes):
        session.notes.append(Notice(sentence, action.place if action else ""))
