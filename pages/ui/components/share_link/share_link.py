"""The link of a run with a button to copy it, and buttons that save its charts as SVG."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

HERE = Path(__file__).parent

_LINK = st.components.v2.component(
    "share_link",
    html='<div class="share"><button class="copy" type="button"></button><div class="shelf"></div><input class="link" readonly></div>',
    css=(HERE / "share_link.css").read_text("utf-8"),
    js=(HERE / "share_link.js").read_text("utf-8"),
)


def share_link(key: str, data: dict[str, Any]) -> None:
    """Draw the link and a button per chart."""
    _LINK(key=key, data=data)
