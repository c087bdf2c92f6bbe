"""The stage in the browser: five beats per token. The browser holds the data of several steps, so a key has an immediate effect."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui.components.script import with_shared

HERE = Path(__file__).parent

_STAGE = st.components.v2.component(
    "stage_view",
    html=(HERE / "stage.html").read_text("utf-8"),
    css=(HERE / "stage.css").read_text("utf-8"),
    js=with_shared(*(HERE / f"{part}.js" for part in ("drawing", "guessing", "driving"))),
)


def stage(key: str, data: dict[str, Any], on_did: Callable[[], None]) -> None:
    """Draw the stage. `on_did` is called when a key changes the run, with the event in `st.session_state[key].did`."""
    _STAGE(key=key, data=data, on_did_change=on_did)
