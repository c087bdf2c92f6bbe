"""Speaker's window: what is coming, what to say and a clock. It follows the stage that is open in another window of the same browser."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from core.language import N_, said
from pages.ui.charts import charts
from pages.ui.components.script import with_shared

NOTES = {
    "waiting": N_("No stage is open in this browser. Open one in another window: S on the Watch page. This window follows it."),
    "say": N_("You may say"),
    "coming": N_("What is coming"),
    "hidden": N_("The audience does not see these odds yet."),
    "clock": N_("since the beginning"),
    "again": N_("Clock to 0"),
    "on": N_("on"),
    "back": N_("back"),
    "next": N_("next stop"),
    "beat": N_("now"),
    "stop": N_("Stop {place} of {count}"),
    "lost": N_("The stage has not been heard of for {seconds} seconds."),
}


HERE = Path(__file__).parent

_NOTES = st.components.v2.component(
    "notes_view",
    html=(HERE / "notes.html").read_text("utf-8"),
    css=(HERE / "notes.css").read_text("utf-8"),
    js=with_shared(HERE / "notes.js"),
)


def notes() -> None:
    """Listen to the stage, and show what it says."""
    _NOTES(key="notes_view", data={"colours": charts.colours(), "texts": said(NOTES)})
