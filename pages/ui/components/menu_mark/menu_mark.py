"""Which group of the menu the open page is in, marked there; and which language the page is in, for screen readers and hyphens."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.language import _, current

HERE = Path(__file__).parent

_MARK = st.components.v2.component("menu_mark", html="", js=(HERE / "menu_mark.js").read_text("utf-8"))


def menu_mark(group: str, page: str) -> None:
    """Mark it; once for every page, from app.py. page: its path, so that it is marked anew where the menu was away before (the stage)."""
    _MARK(key="menu_mark", data={"group": _(group), "page": page, "language": current()})
