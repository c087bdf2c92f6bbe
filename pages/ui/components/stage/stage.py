"""The stage in the browser: five beats per token. The browser holds the data of several steps, so a key has an immediate effect."""

from __future__ import annotations

from typing import Any

from core.reports import step_in_browser
from pages.ui.components.register import component

_SCRIPTS = (
    step_in_browser.WORDS,
    step_in_browser.DICE,
    "../run_connection",
    "drawing",
    "guessing",
    "voting",
    "speakers_window",
    "stage_keys",
)
_STAGE = component("stage", "", *_SCRIPTS, styles=[step_in_browser.STYLE])


def stage(key: str, run_key: str, data: dict[str, Any]) -> None:
    """Draw the stage. Its keys act by the routes of the run, which `run_key` opens; then, at rest, it asks for a run of the page."""
    _STAGE(key=key, data=data | {"run_key": run_key}, on_rested_change=lambda: None)
