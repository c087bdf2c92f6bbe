"""Whether the visitor sees the page: nothing redraws itself in a hidden tab, so that it costs other visitors nothing."""

from __future__ import annotations

import streamlit as st

from pages.ui.components.browser import browser
from pages.ui.session.state import current_session

KEY = "visibility"


def watch_visibility() -> None:
    """Listen; once for every page, from app.py."""
    browser.visibility(KEY, _changed)


def every(seconds: float | None) -> float | None:
    """Return the seconds between two draws of a part that redraws itself, None while the page is hidden."""
    return None if current_session().hidden else seconds


def _changed() -> None:
    current_session().hidden = getattr(st.session_state.get(KEY), "hidden", None) is True
