"""Seats: how many visitors the app takes at once, who has a seat, and who loses it. The limit counts sessions."""

from __future__ import annotations

from time import monotonic
from weakref import WeakSet

from core.limits import Limits
from pages.ui.server.gate import is_open
from pages.ui.session.state import Session, current_session

# Weak, so that closed sessions disappear. A plain object, because a visitor's browser can clear Streamlit's caches.
ACTIVE: WeakSet[Session] = WeakSet()
ADMITTED: WeakSet[Session] = WeakSet()  # also those that have lost their place since
RECONNECT_SECONDS = 30.0  # seconds in which a visitor whose websocket was closed keeps their place


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
