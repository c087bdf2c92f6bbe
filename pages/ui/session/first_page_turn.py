"""The first page render of a session waits in a queue and shows how many visitors are before it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from pages.ui.i18n.translation import ngettext
from pages.ui.server.first_page_queue import QUEUE
from pages.ui.server.gate import release_turn
from pages.ui.session.state import current_session

POLL_SECONDS = 0.5  # seconds between two checks of the queue
LONGEST_WAIT = 60.0  # seconds after which a visitor is admitted in any case


@contextmanager
def first_page_turn() -> Iterator[None]:
    """Make the first page render of a session wait for its turn in the queue."""
    session = current_session()
    if session.first_page_drawn:
        yield
        return
    place, message, waited = QUEUE.join(), None, 0.0
    try:
        while (ahead := QUEUE.before(place, POLL_SECONDS)) and waited < LONGEST_WAIT:
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
        QUEUE.leave(place)
