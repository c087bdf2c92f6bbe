"""Speaker's window: what is coming, what to say and a clock. It follows the stage that is open in another window of the same browser."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.parts.charts import charts
from pages.parts.layout import palette
from pages.parts.text import stage_words as words

HERE = Path(__file__).parent

_NOTES = st.components.v2.component(
    "notes_view",
    html=(HERE / "notes.html").read_text("utf-8"),
    css=(HERE / "notes.css").read_text("utf-8"),
    js=(HERE / "notes.js").read_text("utf-8"),
)


def notes() -> None:
    """Listen to the stage, and show what it says."""
    _NOTES(key="notes_view", data={"colours": palette.as_data(palette.of(charts.theme())), "texts": words.NOTES})
