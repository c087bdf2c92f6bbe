"""Write prompt, model, settings and every step to the browser's address, so that a reload restores them."""

from __future__ import annotations

import streamlit as st

from pages.ui.components.browser import browser
from pages.ui.session import url_state
from pages.ui.session.state import current_session

MAIN = "address"


def write_address(key: str = MAIN) -> None:
    """Write the address. key: identifies the caller; a fragment that makes steps has its own key."""
    state, session = url_state.address(), current_session()
    data = {
        "page": session.page or "",  # a change of page empties the address, and the component ignores data that did not change
        "query": state.query,
        "stored": state.stored,
        "name": state.name,
        "wanted": state.wanted,
        "recording": state.recording,
        "session": session.name,
        "asks": key == MAIN,  # only one place may report a text that the browser kept
        "answered": session.answered,
        "drawn": session.draws,  # changes at every run of the page, for scripts that wait for the next one
    }
    browser.address(key, data, lambda: url_state.text_found(getattr(st.session_state.get(key), "found", None)))
