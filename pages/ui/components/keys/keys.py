"""The keyboard: arrows and Space drive the player of whatever page is open, from wherever nothing else wants them."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent

# For every key the buttons that it presses, by their keys; the first one that is on the page.
KEYS: dict[str, tuple[str, ...]] = {
    " ": ("pause", "play", "what_if_pause", "what_if_play"),
    "ArrowLeft": ("back", "inside_back"),
    "s": ("to_stage", "stage_way"),
    "S": ("to_stage", "stage_way"),
    "ArrowRight": ("step", "inside_step", "what_if_step", "candidates_beam_step"),
}

_KEYS = st.components.v2.component("keys", html="", js=(HERE / "keys.js").read_text("utf-8"))


def keys() -> None:
    """Listen; once for every page, from app.py."""
    _KEYS(key="keys", data={"keys": {name: list(buttons) for name, buttons in KEYS.items()}})
