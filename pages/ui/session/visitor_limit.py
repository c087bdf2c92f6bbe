"""The limit of visitors: who is admitted, and whose place is given away."""

from __future__ import annotations

from time import monotonic
from weakref import WeakSet

from core.limits import Limits
from pages.ui.server.gate import is_open
from pages.ui.session.state import Session, current_session

# Weak, so that closed sessions disappear. A plain object, because a visitor's browser can clear Streamlit's caches.
ACTIVE: WeakSet[Session] = WeakSet()
RECONNECT_SECONDS = 30.0  # seconds in which a visitor whose websocket was closed keeps their place


def admit() -> bool:
    """Return whether this visitor is admitted. At the limit TOKEN_VIEWER_VISITORS, the most idle session can lose its place."""
    limits, session = Limits.from_environment(), current_session()
    session.seen = monotonic()
    for one in [one for one in ACTIVE if not is_open(one.connection) and monotonic() - one.seen > RECONNECT_SECONDS]:
        ACTIVE.discard(one)
    if session not in ACTIVE and limits.visitors and len(ACTIVE) >= limits.visitors:
        idlest = min(ACTIVE, key=lambda one: one.seen)
        if not limits.seat_seconds or monotonic() - idlest.seen < limits.seat_seconds:
            return False
        ACTIVE.discard(idlest)
    ACTIVE.add(session)
    return True


def active_sessions() -> list[Session]:
    """Return all admitted sessions."""
    return list(ACTIVE)
