"""Whether the browser tab is visible. A hidden page does not redraw, so it takes no time from other visitors."""

from __future__ import annotations

import streamlit as st

from pages.ui.components.browser import browser
from pages.ui.session.state import current_session

KEY = "visibility"


def watch_visibility() -> None:
    """Receive changes of the tab's visibility. app.py calls this once per page."""
    browser.visibility(KEY, _changed)


def every(seconds: float | None) -> float | None:
    """Return the seconds between two draws of a part that redraws itself, None while the page is hidden."""
    return None if current_session().hidden else seconds


def _changed() -> None:
    current_session().hidden = getattr(st.session_state.get(KEY), "hidden", None) is True
