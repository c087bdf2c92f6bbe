"""Display options: the tint of the words, how many rows, which axis."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.parts.charts import step_rows
from pages.parts.text import words


@dataclass(frozen=True, slots=True)
class DisplayOptions:
    """tint: "likely", "unsure" or "none". rows: candidates listed. logarithmic: the axis of the odds. folded: what is cut, in one line."""

    tint: str
    rows: int
    logarithmic: bool
    folded: bool


def display_options() -> DisplayOptions:
    """Draw the popover and return what is chosen."""
    with st.popover("View", icon=":material/visibility:"):
        tint = st.segmented_control(
            "Tint",
            list(words.TINTS),
            default="likely",
            key="tint",
            format_func=words.TINTS.__getitem__,
            help=words.TINT_HELP,
            required=True,
            persist_state="session",
        )
        count = st.slider(
            "Rows", step_rows.FEWEST, step_rows.MOST, step_rows.USUAL, key="rows", help=words.ROWS_HELP, persist_state="session"
        )
        logarithmic = st.toggle("Logarithmic scale", key="log", help=words.LOG_HELP, persist_state="session")
        opened = st.toggle(words.CUT_SHOWN, key="cut_shown", help=words.CUT_SHOWN_HELP, persist_state="session")
    return DisplayOptions(tint or "likely", count, logarithmic, not opened)
