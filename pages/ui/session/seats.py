"""Seats: how many visitors the app takes at once, who has a seat, and who loses it. The limit counts sessions."""

from __future__ import annotations

from dataclasses import dataclass
from secrets import compare_digest
from threading import RLock
from time import monotonic
from weakref import WeakSet

from core.limits import Limits
from pages.ui.server.gate import is_open
from pages.ui.session import operator_role
from pages.ui.session.state import Session, current_session

# Weak, so that closed sessions disappear. A plain object, because a visitor's browser can clear Streamlit's caches.
ACTIVE: WeakSet[Session] = WeakSet()
ADMITTED: WeakSet[Session] = WeakSet()  # also those that have lost their place since
_LOCK = RLock()  # around both sets: each visitor's script runs in a thread of its own
RECONNECT_SECONDS = 30.0  # seconds in which a visitor whose websocket was closed keeps their place


def admit() -> bool:
    """Return whether this visitor is admitted. At the limit TOKEN_VIEWER_VISITORS, the most idle session can lose its place."""
    session = current_session()
    session.browser.last_active = monotonic()
    if session in ACTIVE:
        return True
    with _LOCK:
        if not is_one_free():
            return False
        if (idlest := _who_must_leave()) is not None:
            ACTIVE.discard(idlest)
        ACTIVE.add(session)
        ADMITTED.add(session)
    return True


def is_one_free() -> bool:
    """Return whether a newcomer would be admitted. For any thread."""
    limits = Limits.from_environment()
    with _LOCK:
        idlest = _who_must_leave()
    return idlest is None or bool(limits.seat_seconds and monotonic() - idlest.browser.last_active >= limits.seat_seconds)


def _who_must_leave() -> Session | None:
    """Return the most idle session if no seat is empty."""
    visitors, present = Limits.from_environment().visitors, active_sessions()
    return min(present, key=lambda admitted: admitted.browser.last_active) if visitors and len(present) >= visitors else None


def active_sessions() -> list[Session]:
    """Return all admitted sessions. One whose websocket has been closed for a while loses its place."""
    with _LOCK:
        for admitted in list(ACTIVE):
            if not is_open(admitted.browser.websocket) and monotonic() - admitted.browser.last_active > RECONNECT_SECONDS:
                ACTIVE.discard(admitted)
        return list(ACTIVE)


@dataclass(frozen=True, slots=True)
class Presence:
    """What the operator sees of a session; no text. page: that is open, None before the first. model: of the run. idle: in seconds."""

    page: str | None
    model: str | None
    tokens: int
    plays: bool
    idle: float
    operator: bool


def present() -> list[Presence]:
    """Return what all admitted sessions do, those that acted last first."""
    now = monotonic()
    sessions = sorted(active_sessions(), key=lambda session: session.browser.last_active, reverse=True)
    return [
        Presence(
            session.page.path,
            session.begun.of_run.model if session.begun.of_run else None,
            session.run.token_count if session.run is not None else 0,
            session.player.playing,
            now - session.browser.last_active,
            operator_role.has_signed_in(session) or (session is current_session() and operator_role.is_operator()),
        )
        for session in sessions
    ]


def with_secret(secret: bytes) -> Session | None:
    """Return the admitted session with this secret, compared in constant time; None if there is none."""
    with _LOCK:
        admitted = list(ADMITTED)
    return next((session for session in admitted if compare_digest(session.browser.secret.encode(), secret)), None)


def hand_over(earlier: Session) -> None:
    """Give this visitor's seat to an earlier session, which is theirs again and takes over the secret of the present one."""
    with _LOCK:
        for sessions in (ACTIVE, ADMITTED):
            sessions.discard(current_session())
            sessions.add(earlier)


def leave(connection: str) -> list[Session]:
    """Take the seats of the sessions with own models whose websocket this was, and return these sessions."""
    with _LOCK:
        left = [session for session in ADMITTED if session.browser.websocket == connection and session.models.taught]
        ADMITTED.difference_update(left)
        ACTIVE.difference_update(left)
    return left
