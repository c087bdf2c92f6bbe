"""Talk bar: the current stop of a talk, above an ordinary page, and its keys."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui.components.script import with_shared

HERE = Path(__file__).parent

_BAR = st.components.v2.component(
    "talk_bar",
    html='<div class="bar"><span class="place"></span><b class="title"></b><span class="next"></span></div>'
    '<div class="black" hidden></div>',
    css=(HERE / "talk_bar.css").read_text("utf-8"),
    js=with_shared(HERE / "talk_bar.js"),
)


def talk_bar(key: str, data: dict[str, Any], on_did: Callable[[], None]) -> None:
    """Draw the bar. `on_did` is called at its keys, with the event in `st.session_state[key].did`."""
    _BAR(key=key, data=data, on_did_change=on_did)
