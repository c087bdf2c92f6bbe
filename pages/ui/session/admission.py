"""Admission: how many visitors the app takes at once, and the queue of their first pages.

The limit counts sessions. The first page of a session waits in the queue of runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from weakref import WeakSet

import streamlit as st

from core.limits import Limits
from pages.ui.i18n.translation import ngettext
from pages.ui.server.gate import Gate, is_open, release_turn
from pages.ui.server.script_queue import QUEUE, Runner
from pages.ui.session.state import Session, current_session

# Weak, so that closed sessions disappear. A plain object, because a visitor's browser can clear Streamlit's caches.
ACTIVE: WeakSet[Session] = WeakSet()
ADMITTED: WeakSet[Session] = WeakSet()  # also those that have lost their place since
RECONNECT_SECONDS = 30.0  # seconds in which a visitor whose websocket was closed keeps their place
POLL_SECONDS = 0.5  # seconds between two checks of the queue
LONGEST_WAIT = 60.0  # seconds after which a visitor is admitted in any case


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
