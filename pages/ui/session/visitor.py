"""The visitor: whether they are admitted, their language, and their role.

The limit of visitors counts sessions, and the first page of a session waits in the queue of runs. The language is the browser's, or the one
chosen in the header, which is kept in the address. Only the operator downloads and unloads models, connects to servers and opens folders:
the machine's own user, or a visitor who typed the operator's password (`pages/ui/server/operator_password.py`). In an app that only this
machine can reach, every visitor is the operator.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from secrets import compare_digest
from time import monotonic
from weakref import WeakSet

import streamlit as st

from core.errors import NotAllowed
from core.limits import Limits
from pages.ui.i18n import translation
from pages.ui.i18n.translation import _, ngettext
from pages.ui.server import deployment, loaded_models, operator_password
from pages.ui.server.gate import Gate, is_open, release_turn
from pages.ui.server.run_queue import QUEUE, Runner
from pages.ui.session import state
from pages.ui.session.state import Session, current_session

# Weak, so that closed sessions disappear. A plain object, because a visitor's browser can clear Streamlit's caches.
ACTIVE: WeakSet[Session] = WeakSet()
ADMITTED: WeakSet[Session] = WeakSet()  # also those that have lost their place since
RECONNECT_SECONDS = 30.0  # seconds in which a visitor whose websocket was closed keeps their place
POLL_SECONDS = 0.5  # seconds between two checks of the queue
LONGEST_WAIT = 60.0  # seconds after which a visitor is admitted in any case
PARAMETER = "lang"
_SWITCH = "language"


def admit() -> bool:
    """Return whether this visitor is admitted. At the limit TOKEN_VIEWER_VISITORS, the most idle session can lose its place."""
    session = current_session()
    session.seen = monotonic()
    if session in ACTIVE:
        return True
    limits = Limits.from_environment()
    present = active_sessions()
    if limits.visitors and len(present) >= limits.visitors:
        idlest = min(present, key=lambda admitted: admitted.seen)
        if not limits.seat_seconds or monotonic() - idlest.seen < limits.seat_seconds:
            return False
        ACTIVE.discard(idlest)
    ACTIVE.add(session)
    ADMITTED.add(session)
    return True


def resume(secret: object) -> bool:
    """Continue the session that this tab had before it was loaded again. Return whether it is still there.

    secret: what the browser kept for its tab, so it can be any value. A session with an open websocket belongs to another tab: a browser
    copies what it keeps when a tab is duplicated.
    """
    sent = secret.encode(errors="replace") if isinstance(secret, str) else b""
    left = next((session for session in ADMITTED if compare_digest(session.secret.encode(), sent)), None)
    if left is None or left is current_session() or is_open(left.connection):
        return False
    ACTIVE.discard(current_session())
    ACTIVE.add(left)
    state.continue_session(left)
    return True


def active_sessions() -> list[Session]:
    """Return all admitted sessions. One whose websocket has been closed for a while loses its place."""
    for admitted in list(ACTIVE):
        if not is_open(admitted.connection) and monotonic() - admitted.seen > RECONNECT_SECONDS:
            ACTIVE.discard(admitted)
    return list(ACTIVE)


@contextmanager
def first_page_turn() -> Iterator[None]:
    """Make the first page render of a session wait for its turn in the queue. Without a gate there is no queue."""
    session = current_session()
    connection = Gate.connections.get(session.connection or "")
    if session.first_page_drawn or connection is None or connection.loop is None:
        yield
        return
    runner, message, waited = Runner(connection.address, is_first_page=True), None, 0.0
    connection.loop.call_soon_threadsafe(QUEUE.join, runner)
    try:
        while (ahead := QUEUE.before(runner, POLL_SECONDS)) and waited < LONGEST_WAIT:
            if not waited:
                release_turn(session.connection)
            waited += POLL_SECONDS
            message = message or st.empty()
            message.info(
                ngettext(
                    "Many visitors are opening the app now. One is before you.",
                    "Many visitors are opening the app now. {count} are before you.",
                    ahead,
                ).format(count=ahead),
                icon=":material/group:",
            )
        if message is not None:
            message.empty()
        session.first_page_drawn = True
        yield
    finally:
        connection.loop.call_soon_threadsafe(QUEUE.leave, runner)


_PASSWORD = operator_password.Password()  # shared, so that wrong passwords of all visitors slow the next answers


def is_operator() -> bool:
    """Return whether this visitor is the operator."""
    return current_session().operator or deployment.is_operator_by_connection(st.context.headers.get(deployment.ORIGIN_HEADER))


def require_operator() -> None:
    """Raise NotAllowed unless the visitor is the operator. Every operator action calls this first, also if the page hides the button."""
    if not is_operator():
        raise NotAllowed(_("Only the operator of this app can do that. Choose one of the models in the list."))


def may_use(name: str, listed: list[str]) -> bool:
    """Return whether this visitor may open this model. listed: the names in their list."""
    return name in listed or name in loaded_models.names() or is_operator()


def require_may_use(name: str, listed: list[str]) -> None:
    """Raise NotAllowed if this visitor may not open this model."""
    if not may_use(name, listed):
        raise NotAllowed(_("Only the operator of this app can do that. Choose one of the models in the list."))


def access(name: str) -> loaded_models.Access:
    """Return tokenizer and key of a model on a server: the visitor's own, else the published ones. (None, None) for other models."""
    servers, given = current_session().servers, loaded_models.access(name)
    if name not in servers and given[0] is not None:
        servers[name] = given
    return servers.get(name, (None, None))


def password_is_set() -> bool:
    """Return whether a visitor can sign in as the operator."""
    return operator_password.Password.is_set()


def enter(word: str) -> None:
    """Sign in as the operator. Raises NotAllowed for a wrong password or too many of them."""
    release_turn(current_session().connection)  # the answer can wait for seconds
    right = _PASSWORD.opens(word, st.context.ip_address)
    if right is None:
        raise NotAllowed(_("Too many wrong passwords. Wait five minutes."))
    if not right:
        raise NotAllowed(_("Wrong password."))
    current_session().operator = True


def leave() -> None:
    """Sign out."""
    current_session().operator = False


def of_visitor() -> str:
    """Return the code of the language of the visitor whose script runs in this thread.

    Threads without a visitor do not call this. They set a language with `translation.speaking` or `translation.with_current_language`.
    """
    session = state.known_session()
    chosen = session.language if session is not None else st.query_params.get(PARAMETER, "")
    return chosen if chosen in translation.languages() else translation.best_match(st.context.locale)


@state.error_boundary
def _chosen() -> None:
    wanted = st.session_state.get(_SWITCH)
    if wanted in translation.languages():
        state.current_session().language = wanted
        translation.use(wanted)


def language_switch() -> None:
    """Draw the choice of language in the header. app.py calls this once per page."""
    languages = translation.languages()
    if len(languages) < 2:
        return
    st.session_state[_SWITCH] = translation.current()
    with st.container(key="language_switch"):
        st.segmented_control(
            _("Language · Sprache"),
            list(languages),
            key=_SWITCH,
            format_func=languages.__getitem__,
            on_change=_chosen,
            label_visibility="collapsed",
            required=True,
        )


translation.ask(of_visitor)
