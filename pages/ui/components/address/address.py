"""The browser's address, kept equal to what is on screen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent

_ADDRESS = st.components.v2.component("address", html="", js=(HERE / "address.js").read_text("utf-8"))


def address(key: str, data: dict[str, Any], on_found: Callable[[], None]) -> None:
    """Write the address. on_found is called when the browser hands over a text that it kept, under `st.session_state[key].found`."""
    _ADDRESS(key=key, data=data, on_found_change=on_found)
