"""Whether the browser shows the page or another tab in front of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent

_VISIBILITY = st.components.v2.component("visibility", html="", js=(HERE / "visibility.js").read_text("utf-8"))


def visibility(key: str, on_hidden: Callable[[], None]) -> None:
    """Listen. `on_hidden` is called at each change, with True or False under `st.session_state[key].hidden`."""
    _VISIBILITY(key=key, data={}, on_hidden_change=on_hidden)
