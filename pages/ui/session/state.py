"""What the session of one visitor holds, with typed fields, and how it begins and changes its page."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from secrets import token_hex
from threading import RLock
from time import monotonic
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, runtime_checkable

import streamlit as st

from core import list_models
from core.sources.capabilities import Can
from core.sources.ngram import is_ngram
from pages.ui.i18n import spoken_language
from pages.ui.i18n.translation import _
from pages.ui.server import deployment, offered_models
from pages.ui.session import live_state, share_link
from pages.ui.session.live_state import LiveState, Player
from pages.ui.session.run_request import BegunRun, RunRequest
from pages.ui.session.share_link import ConversationAndEnding, OpenedLink, conversation_of, ending_of

if TYPE_CHECKING:
    from core import Generation, SamplingSettings


_KEY = "_session"


@dataclass(frozen=True, slots=True)
class Notice:
    """One sentence for the visitor. place: the key of the widget beside which it is shown, "" for the head of the page."""

    text: str
    place: str = ""


@dataclass(frozen=True, slots=True)
class SavedRun:
    """A replaced run, with what is needed to restore it. here: its current node."""

    run: Generation
    here: int
    begun_with: RunRequest
    moment: str


@runtime_checkable
class Leaving(Protocol):
    """An experiment, or what a feature keeps, that pauses or ends when the visitor opens another page."""

    def leave_page(self) -> None:
        """Pause or end."""


Remembered = TypeVar("Remembered")


@dataclass(slots=True)
class Notices:
    """Sentences for the visitor. latest: about the latest action. next_page: for the page that the app switches to.

    shown: those that the page has drawn. head: container for late ones at the head of the page. in_view: whether the live view shows those
    without a place, also late ones.
    """

    latest: list[Notice] = field(default_factory=list)
    next_page: list[str] = field(default_factory=list)
    shown: set[Notice] = field(default_factory=set)
    head: Any = None
    in_view: bool = False


@dataclass(slots=True)
class OwnModels:
    """Models of the visitor. names: added by name. servers: tokenizer and key of each server among them.

    taught: models that the visitor trained or opened, by name. listed: what the list of all names was made from, and the list; see
    `current.model_names`. evictions_seen: evictions of the run's model that the visitor knows.
    """

    names: list[str] = field(default_factory=list)
    servers: dict[str, tuple[str | None, str | None]] = field(default_factory=dict)
    taught: dict[str, Any] = field(default_factory=dict)
    listed: tuple[Any, list[str]] | None = None
    evictions_seen: int = 0


@dataclass(slots=True)
class Browser:
    """The tab of the visitor. websocket: its name, set by the gate. last_active: time of the last request. answered: whether it has
    reported what it stores.

    name: key for a text in its storage. wanted: name of a text to request from its storage. secret: for this tab alone; see
    `resumed_session.resume`.
    """

    websocket: str | None = None
    last_active: float = field(default_factory=monotonic)
    answered: bool = False
    name: str = field(default_factory=lambda: token_hex(6))
    wanted: str = ""
    secret: str = field(default_factory=lambda: token_hex(16))


@dataclass(slots=True)
class OpenPage:
    """The page that is open. path: its folder, None before the first one. address: what it adds to the address, such as a stop of the tour.

    draws: number of renders of all pages. first_drawn: whether the first render is over. navigation: see `shell/frame.py`.
    advancing: how far parts of it are, by key; see `progress`.
    """

    path: str | None = None
    address: dict[str, str] = field(default_factory=dict)
    draws: int = 0
    first_drawn: bool = False
    navigation: dict[tuple[str, bool], dict[str, list[st.Page]]] = field(default_factory=dict)
    advancing: dict[str, Callable[[Session], float]] = field(default_factory=dict)


@dataclass(slots=True)
class Fields:
    """The shared fields: model, prompt, as_chat, settings. saved: their last values, by key. to_set: values that a route gave them.

    The next run of the script sets the latter. settings: for the next steps, as the fields say; None until they are read again.
    """

    saved: dict[str, Any] = field(default_factory=dict)
    to_set: dict[str, Any] = field(default_factory=dict)
    settings: SamplingSettings | None = None


@dataclass(slots=True)
class Language:
    """Codes of languages. chosen: by the visitor, "" for the browser's. spoken: of the last script run, for the routes of the run."""

    chosen: str = ""
    spoken: str = spoken_language.ENGLISH


@dataclass(slots=True, eq=False, weakref_slot=True)
class Session:
    """One visitor's state. saved_run: the replaced run, for undo. action_lock: held during every change; see `error_boundary`.

    experiments: running and recorded ones, by name. memory: what features and rooms keep, by its class; see the function `memory`.
    """

    run: Generation | None = None
    begun: BegunRun = field(default_factory=BegunRun)
    saved_run: SavedRun | None = None
    around: ConversationAndEnding = field(default_factory=ConversationAndEnding)
    player: Player = field(default_factory=Player)
    fields: Fields = field(default_factory=Fields)
    link: OpenedLink = field(default_factory=OpenedLink)
    page: OpenPage = field(default_factory=OpenPage)
    notices: Notices = field(default_factory=Notices)
    models: OwnModels = field(default_factory=OwnModels)
    browser: Browser = field(default_factory=Browser)
    live: LiveState = field(default_factory=LiveState)
    language: Language = field(default_factory=Language)
    experiments: dict[str, object] = field(default_factory=dict)
    memory: dict[type, object] = field(default_factory=dict)
    action_lock: Any = field(default_factory=RLock)

    def begin_from(self, query: Mapping[str, str]) -> None:
        """Apply the query of an address. Invalid values are skipped and named in a notice."""
        query = share_link.bounded(query)
        counted = [query["model"]] if is_ngram(query.get("model", "")) else []  # it is computed here, and nothing is downloaded
        bundled = [entry.name for entry in list_models()] + offered_models.names() + counted
        query, damaged = share_link.repaired(query, bundled)
        self.link.query, self.browser.wanted = dict(query), query.get("kept", "")[:40]
        self.link.requested = share_link.requested_model(query, bundled)
        self.around.set(conversation_of(query), ending_of(query))
        if self.link.requested is not None:  # without the password that it may contain
            self.link.query["model"] = self.link.requested.model
        if query.get("model", bundled[0] if bundled else "") in bundled:  # steps are valid for their own model only
            self.link.steps = query.get("steps")
        if query.get("lang") in spoken_language.languages():
            self.language.chosen = query["lang"]
            spoken_language.use(self.language.chosen)
        if damaged:
            self.notices.latest.append(Notice(_("The end of this link is damaged. The app opened everything that it could read.")))
        strange = share_link.invalid_values(query, bundled)
        if strange:
            sentence = _("This link contains values that cannot be used: {what}. The defaults are used instead.")
            self.notices.latest.append(Notice(sentence.format(what=", ".join(strange))))

    def open_page(self, path: str) -> None:
        """Prepare for a page. After a change of page, stop Play and all experiments that run only while their page is open."""
        if self.page.path != path:
            self.player.playing, self.page.address, self.live.scene = False, {}, None
            self.page.advancing.clear()
            for remembered in (*self.experiments.values(), *self.memory.values()):
                if isinstance(remembered, Leaving):
                    remembered.leave_page()
            self.live.changed()

    def release(self) -> None:
        """Drop runs, models and results, which take memory. For a session that has ended."""
        with self.action_lock:
            self.run = self.saved_run = None
            self.begun = BegunRun()
            self.models.taught.clear()
            self.experiments.clear()
            self.memory.clear()

    def remembered(self, kind: type[Remembered]) -> Remembered:
        """Return what this session keeps of this class. It begins as `kind()`, and survives reruns and changes of page."""
        value = self.memory.get(kind)
        if not isinstance(value, kind):
            value = self.memory[kind] = kind()
        return value

    def save_run(self) -> None:
        """Save the run for undo, with its current node, if it has any steps. A recording does not take the place of a text of one's own."""
        if self.run is None or not self.run.path or self.begun.of_run is None:
            return
        if self.saved_run is None or Can.NEW_TOKENS in self.run.can or Can.NEW_TOKENS not in self.saved_run.run.can:
            self.saved_run = SavedRun(self.run, self.run.here, self.begun.of_run, self.player.moment)


_ACTING: ContextVar[Session | None] = ContextVar("acting", default=None)


@contextmanager
def acting_for(session: Session) -> Iterator[None]:
    """Act for this visitor outside of Streamlit's script, in their language and one action at a time. For the routes of the run.

    Inside, nothing of Streamlit is called: `field_value` and `set_field` read and write what the last script run saved.
    """
    with session.action_lock, spoken_language.speaking(session.language.spoken), offered_models.without_spinner():
        acting = _ACTING.set(session)
        session.browser.last_active = monotonic()
        try:
            yield
        finally:
            _ACTING.reset(acting)


def field_value(key: str) -> Any:
    """Return the value of a shared field (model, prompt, as_chat, a setting) by its key, None if it has none yet."""
    acting = _ACTING.get()
    if acting is not None:
        return acting.fields.to_set.get(key, acting.fields.saved.get(key))
    session = known_session()
    if session is not None and key in session.fields.to_set:
        return session.fields.to_set[key]
    return st.session_state.get(key)


def field_values(keys: Iterable[str]) -> list[Any]:
    """Return the values of several shared fields, as `field_value` does."""
    acting = _ACTING.get()
    if acting is None:
        return [field_value(key) for key in keys]
    return [acting.fields.to_set.get(key, acting.fields.saved.get(key)) for key in keys]


def set_field(key: str, value: Any) -> None:
    """Set the value of a shared field. A value that a route sets is given to the widget by the next script run."""
    acting = _ACTING.get()
    if acting is not None:
        acting.fields.to_set[key] = acting.fields.saved[key] = value
        return
    session = current_session()
    session.fields.to_set.pop(key, None)
    st.session_state[key] = session.fields.saved[key] = value  # saved for the routes, which cannot read the widgets


def fill_fields() -> None:
    """Give the widgets the values that routes have set, before the page draws them."""
    session = current_session()
    with session.action_lock:
        st.session_state.update(session.fields.to_set)
        session.fields.to_set.clear()


def current_session() -> Session:
    """Return this visitor's state. The first call creates it from the address."""
    acting = _ACTING.get()
    if acting is not None:
        return acting
    session = st.session_state.get(_KEY)
    if session is None:
        session = st.session_state[_KEY] = Session()
        session.begin_from(st.query_params.to_dict())
        requested = session.link.requested
        if requested is not None and requested.model != st.query_params["model"]:  # remove the password from the address
            st.query_params["model"] = requested.model
    session.browser.last_active = monotonic()
    return session


def replace_session(session: Session) -> None:
    """Make this the state of the visitor."""
    st.session_state[_KEY] = session


def known_session() -> Session | None:
    """Return this visitor's state, None if there is none yet."""
    session = st.session_state.get(_KEY)
    return session if isinstance(session, Session) else None


def memory(kind: type[Remembered]) -> Remembered:
    """Return what this visitor's session keeps of this class (see `Session.remembered`).

    A feature or a room declares a class of its own for what it keeps, so that the session does not know it.
    """
    return current_session().remembered(kind)


def session_started() -> bool:
    """Return whether this session began in app.py (see `frame.page`)."""
    return "_entered" in st.session_state


def start_session() -> None:
    """Note that this session began in app.py, and read its address."""
    st.session_state["_entered"] = True
    session = current_session()
    session.browser.websocket = st.context.headers.get(deployment.CONNECTION_HEADER)
    session.language.spoken = spoken_language.current()
    live_state.OPEN.add(session)


def begin_page(page: str) -> None:
    """Begin to draw a page. After a change of page, remove the old page's notices and add those meant for this page."""
    session = current_session()
    session.open_page(page)
    session.page.draws += 1
    if session.page.path is not None and session.page.path != page:
        session.notices.latest.clear()
    session.notices.latest += [Notice(sentence) for sentence in session.notices.next_page]
    session.notices.next_page.clear()
    session.page.path, session.notices.head, session.notices.shown, session.notices.in_view = page, None, set(), False
