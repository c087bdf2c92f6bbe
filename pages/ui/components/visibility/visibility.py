"""Whether anybody sees the page: nothing moves by itself in a tab that lies behind another, so that it costs the others nothing."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.ui.session.state import current_session

HERE = Path(__file__).parent
KEY = "visibility"

_VISIBILITY = st.components.v2.component("visibility", html="", js=(HERE / "visibility.js").read_text("utf-8"))


def visibility() -> None:
    """Listen; once for every page, from app.py."""
    _VISIBILITY(key=KEY, data={}, on_hidden_change=_heard)


def every(seconds: float | None) -> float | None:
    """The clock of a part that draws itself anew: seconds between two draws, None while nobody would see them."""
    return None if current_session().hidden else seconds


def _heard() -> None:
    current_session().hidden = getattr(st.session_state.get(KEY), "hidden", None) is True
