"""Reconnection: a page whose server began again, or that another replica answers now, is drawn anew by itself and loses no click."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent
HEARTBEAT = timedelta(hours=12)

_RECONNECT = st.components.v2.component("reconnect", html="", js=(HERE / "reconnect.js").read_text("utf-8"))


def reconnect() -> None:
    """Stand by; once for every page, from app.py."""
    # A browser that is connected again asks for its page only if something on it draws by itself; without this it would look as if all
    # were well until the first click, which a server that knows no such page answers with nothing.
    st.fragment(lambda: None, run_every=HEARTBEAT, key="heartbeat")()
    _RECONNECT(key="reconnect", data={})
