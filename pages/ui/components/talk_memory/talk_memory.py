"""The memory of a browser tab for a talk, so that a page that is loaded again goes on at the same stop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent

_MEMORY = st.components.v2.component("talk_memory", html="", js=(HERE / "talk_memory.js").read_text("utf-8"))


def talk_memory(key: str, data: dict[str, Any], on_found: Callable[[], None]) -> None:
    """Keep this data. `on_found` is called with what the tab kept of another session under `st.session_state[key].found`."""
    _MEMORY(key=key, data=data, on_found_change=on_found)
