"""The browser's memory of a talk: a page that is loaded again, by whatever accident, goes on with the running order at the same stop."""

from __future__ import annotations

import streamlit as st

from pages.ui.components.browser import browser
from pages.ui.presenting import running_orders, talk
from pages.ui.presenting.running_order import Talk
from pages.ui.session import current

KEY = "talk_memory"
LARGEST = 1_000_000  # characters; a browser's storage for one tab holds a few millions, and a talk with recordings may be larger


def keep_talk() -> None:
    """Keep the running order that is put together and the one that is given; once for every page, from app.py."""
    editor = talk.editor()
    order, given = _kept(editor.order if _own(editor) else None), _kept(editor.active_talk.talk if editor.active_talk else None)
    place = editor.active_talk.place if editor.active_talk else 0
    data = {"session": current.current_session().name, "order": order, "given": given, "place": place}
    browser.talk(KEY, data, lambda: found(getattr(st.session_state.get(KEY), "found", None)))


def _own(editor: talk.TalkEditor) -> bool:
    """Whether somebody put an order of their own on the editor."""
    return editor.order is not None and editor.order not in (running_orders.THREE, running_orders.translated(running_orders.THREE))


def _kept(order: Talk | None) -> str:
    text = order.dumps() if order is not None else ""
    return text if len(text) <= LARGEST else ""


@current.error_boundary
def found(told: object) -> None:
    """What the browser kept of another session of this tab. It comes from a browser, so it may be anything. Raises BadRunningOrder."""
    editor = talk.editor()
    if not isinstance(told, dict) or _own(editor) or editor.active_talk is not None:
        return
    from pages.ui.presenting import running_order_file

    order, given, place = told.get("order"), told.get("given"), told.get("place")
    if isinstance(order, str) and order:
        editor.order = running_order_file.loads(order)
        editor.opened += 1
    if isinstance(given, str) and given:
        whole = running_order_file.loads(given)
        at = place if isinstance(place, int) and not isinstance(place, bool) and 0 <= place < len(whole.stops) else 0
        editor.active_talk = talk.ActiveTalk(whole, at, go=None)
