"""Talk in the browser's storage: after a reload the talk continues at the same stop."""

from __future__ import annotations

import json

import streamlit as st

from pages.ui.components.browser import browser
from pages.ui.presenting import prepared_talks, talk
from pages.ui.presenting.running_order import Talk
from pages.ui.session import current

KEY = "talk_memory"
LARGEST = 900_000  # bytes as the browser sends it back; the gate lets a message of 2 MB pass, and it contains two running orders


def keep_talk() -> None:
    """Store the editor's running order and the talk in progress in the browser. app.py calls this once per page."""
    editor = talk.editor()
    order, given = _kept(editor.order if _own(editor) else None), _kept(editor.active_talk.talk if editor.active_talk else None)
    place = editor.active_talk.place if editor.active_talk else 0
    data = {"session": current.current_session().name, "order": order, "given": given, "place": place}
    browser.talk(KEY, data, lambda: found(getattr(st.session_state.get(KEY), "found", None)))


def _own(editor: talk.TalkEditor) -> bool:
    """Return whether the editor contains another order than the default."""
    return editor.order is not None and editor.order not in (prepared_talks.THREE, prepared_talks.translated(prepared_talks.THREE))


def _kept(order: Talk | None) -> str:
    text = order.dumps() if order is not None else ""
    return text if len(text) <= LARGEST and len(json.dumps(text, ensure_ascii=False).encode()) <= LARGEST else ""


@current.error_boundary
def found(stored: object) -> None:
    """Restore what the browser stored from an earlier session of this tab. `stored` can be any value. Raises BadRecording."""
    editor = talk.editor()
    if not isinstance(stored, dict) or _own(editor) or editor.active_talk is not None:
        return
    from pages.ui.presenting import running_order_file

    order, given, place = stored.get("order"), stored.get("given"), stored.get("place")
    if isinstance(order, str) and order:
        editor.order = running_order_file.loads(order)
        editor.opened += 1
    if isinstance(given, str) and given:
        whole = running_order_file.loads(given)
        at = place if isinstance(place, int) and not isinstance(place, bool) and 0 <= place < len(whole.stops) else 0
        editor.active_talk = talk.ActiveTalk(whole, at, go=None)
