"""The first page of a session waits for its turn and says how many visitors are before it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st

from core.language import ngettext
from pages.ui.server.admission_queue import QUEUE
from pages.ui.session.state import current_session

POLL_SECONDS = 0.5  # seconds between two looks at the queue
LONGEST_WAIT = 60.0  # seconds after which a visitor is admitted in any case


@contextmanager
def admission_slot() -> Iterator[None]:
    """Make the first page render of a session wait for its turn in the queue."""
    session = current_session()
    if session.first_page_drawn:
        yield
        return
    place, said, waited = QUEUE.join(), None, 0.0
    try:
        while (ahead := QUEUE.before(place, POLL_SECONDS)) and waited < LONGEST_WAIT:
            waited += POLL_SECONDS
            said = said or st.empty()
            said.info(
                ngettext(
                    "Many come in just now: one is before you. It takes a moment.",
                    "Many come in just now: {count} are before you. It takes a moment.",
                    ahead,
                ).format(count=ahead),
                icon=":material/group:",
            )
        if said is not None:
            said.empty()
        session.first_page_drawn = True
        yield
    finally:
        QUEUE.leave(place)
