"""The browser's address: prompt, model, settings and every step. A reload brings all of it back."""

from __future__ import annotations

import streamlit as st

from pages.ui.components.address.address import address
from pages.ui.session import url_state
from pages.ui.session.state import current_session

MAIN = "address"


def write_address(key: str = MAIN) -> None:
    """Write it. key: another one for every place of a page that does so; a fragment in which steps are made has its own."""
    said, session = url_state.address(), current_session()
    data = {
        "page": session.page or "",  # a change of page empties the address, and the same data would not be looked at again
        "query": said.query,
        "stored": said.stored,
        "name": said.name,
        "wanted": said.wanted,
        "recording": said.recording,
        "session": session.name,
        "asks": key == MAIN,  # what is found concerns the whole page, and is told once
        "answered": session.answered,
        "drawn": session.draws,  # another one at every drawing of the page: who waits for it is told
    }
    address(key, data, lambda: url_state.text_found(getattr(st.session_state.get(key), "found", None)))
