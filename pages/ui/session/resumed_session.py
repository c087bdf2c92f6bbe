"""A tab that is loaded again: its new session becomes the one that it had before, as long as the server has that one.

Streamlit keeps a session without a connection for `disconnectedSessionTTL` seconds (`.streamlit/config.toml`).
"""

from __future__ import annotations

from secrets import compare_digest

import streamlit as st

from core.sampling.settings import SETTINGS
from pages.ui.server.gate import is_open
from pages.ui.session import seats
from pages.ui.session.state import Session, current_session, replace_session


def resume(secret: object) -> bool:
    """Continue the session that this tab had before it was loaded again. Return whether it is still there.

    secret: what the browser kept for its tab, so it can be any value. A session with an open websocket belongs to another tab: a browser
    copies what it keeps when a tab is duplicated.
    """
    sent = secret.encode(errors="replace") if isinstance(secret, str) else b""
    left = next((session for session in seats.ADMITTED if compare_digest(session.secret.encode(), sent)), None)
    if left is None or left is current_session() or is_open(left.connection):
        return False
    seats.ACTIVE.discard(current_session())
    seats.ACTIVE.add(left)
    _continue(left)
    return True


def _continue(left: Session) -> None:
    """Make an earlier session this visitor's again, with the page and the websocket of the new one. Play stops.

    It keeps run, branches, settings, results, running experiments and trained models. Widgets of pages begin with their first values.
    """
    fresh, begun = current_session(), left.begun_with
    with left.action_lock:
        for name in ("name", "secret", "connection", "page", "head", "place", "navigation", "draws", "drawn", "first_page_drawn"):
            setattr(left, name, getattr(fresh, name))
        left.playing, left.hidden, left.answered, left.settings, left.browser_storage_key = False, False, True, None, ""
        left.notes.clear()
        left.set_values.clear()
        left.shown_notices = set()
        replace_session(left)
        if begun is not None:
            st.session_state["model"], st.session_state["prompt"], st.session_state["as_chat"] = begun.model, begun.prompt, begun.as_chat
        for name in SETTINGS.keys() & left.saved_widget_values.keys():
            st.session_state[name] = left.saved_widget_values[name]
