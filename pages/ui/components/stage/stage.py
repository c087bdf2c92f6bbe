"""The stage in the browser: five beats per token. The browser holds the data of several steps, so a key has an immediate effect."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from core.reports import step_in_browser
from pages.ui.components.register import component

_STAGE = component("stage", "", "drawing", "guessing", "voting", "speakers_window", "stage_keys", styles=step_in_browser.STYLE)


def stage(key: str, data: dict[str, Any], on_did: Callable[[], None]) -> None:
    """Draw the stage. `on_did` is called when a key changes the run, with the event in `st.session_state[key].did`."""
    _STAGE(key=key, data=data, on_did_change=on_did)
