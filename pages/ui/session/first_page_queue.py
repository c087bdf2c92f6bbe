"""The queue of first pages: when many visitors come at once, a few pages are drawn at a time, and the others see their place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pages.ui.i18n.translation import ngettext
from pages.ui.server.gate import Gate, join_first_pages, release_turn
from pages.ui.server.script_queue import QUEUE, Runner
from pages.ui.session.state import current_session

POLL_SECONDS = 0.5  # seconds between two checks of the queue
LONGEST_WAIT = 60.0  # seconds after which a visitor is admitted in any case


@contextmanager
def first_page_turn() -> Iterator[None]:
    """Make the first page render of a session wait for its turn in the queue. Without a gate there is no queue."""
    session = current_session()
    connection = Gate.connections.get(session.browser.websocket or "")
    if session.page.first_drawn or connection is None or connection.loop is None:
        yield
        return
    runner, message, waited = Runner(connection.address, is_first_page=True), None, 0.0
    connection.loop.call_soon_threadsafe(join_first_pages, connection, runner)
    try:
        while (ahead := QUEUE.before(runner, POLL_SECONDS)) and waited < LONGEST_WAIT:
            if not waited:
                release_turn(session.browser.websocket)
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
        session.page.first_drawn = True
        yield
    finally:
        connection.loop.call_soon_threadsafe(QUEUE.leave, runner)
