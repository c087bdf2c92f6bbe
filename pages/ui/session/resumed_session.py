"""A tab that is loaded again: its new session becomes the one that it had before, as long as the server has that one.

Streamlit keeps a session without a connection for `disconnectedSessionTTL` seconds (`.streamlit/config.toml`).
"""

from __future__ import annotations

from dataclasses import replace

from core.sampling.settings import SETTINGS
from pages.ui.server.gate import is_open
from pages.ui.session import seats
from pages.ui.session.state import Notices, Session, current_session, replace_session, set_field


def resume(secret: object) -> bool:
    """Continue the session that this tab had before it was loaded again. Return whether it is still there.

    secret: what the browser stored for its tab, so it can be any value. A session with an open websocket belongs to another tab: a browser
    copies what it keeps when a tab is duplicated.
    """
    sent = secret.encode(errors="replace") if isinstance(secret, str) else b""
    left = seats.with_secret(sent)
    if left is None or left is current_session() or is_open(left.browser.websocket):
        return False
    seats.hand_over(left)
    _continue(left)
    return True


def _continue(left: Session) -> None:
    """Make an earlier session this visitor's again, with the page and the websocket of the new one. Play stops.

    It keeps run, branches, settings, results, running experiments and trained models. Widgets of pages begin with their first values.
    """
    fresh, begun = current_session(), left.begun.asked
    with left.action_lock:
        left.page = fresh.page
        left.browser = replace(fresh.browser, last_active=left.browser.last_active, answered=True, wanted="")
        left.notices = Notices(next_page=left.notices.next_page, head=fresh.notices.head)
        left.player.playing, left.fields.settings = False, None
        replace_session(left)
        if begun is not None:
            for key, value in (("model", begun.model), ("prompt", begun.prompt), ("as_chat", begun.as_chat)):
                set_field(key, value)
        for name in SETTINGS.keys() & left.fields.saved.keys():
            set_field(name, left.fields.saved[name])
