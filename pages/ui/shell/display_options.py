"""Display options: the tint of the words, how many rows, which axis."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from core.language import N_, _, said
from pages.ui.charts import step_rows

TINTS = {
    "likely": N_("how likely"),
    "unsure": N_("how unsure"),
    "none": N_("no tint"),
}


@dataclass(frozen=True, slots=True)
class DisplayOptions:
    """tint: "likely", "unsure" or "none". rows: candidates listed. logarithmic: the axis of the odds. folded: what is cut, in one line."""

    tint: str
    rows: int
    logarithmic: bool
    folded: bool


def display_options() -> DisplayOptions:
    """Draw the popover and return what is chosen."""
    with st.popover(_("View"), icon=":material/visibility:"):
        tint = st.segmented_control(
            _("Tint"),
            list(TINTS),
            default="likely",
            key="tint",
            format_func=said(TINTS).__getitem__,
            help=_("What the colour behind each word says."),
            required=True,
            persist_state="session",
        )
        count = st.slider(
            _("Rows"),
            step_rows.FEWEST,
            step_rows.MOST,
            step_rows.USUAL,
            key="rows",
            help=_("How many of the likeliest tokens are listed."),
            persist_state="session",
        )
        logarithmic = st.toggle(
            _("Logarithmic scale"),
            key="log",
            help=_("Shows the long tail: every step to the left is ten times less likely."),
            persist_state="session",
        )
        opened = st.toggle(
            _("Show what is cut"),
            key="cut_shown",
            help=_("Unlikely candidates that a setting cut off lie together in one line. Open, each has a row of its own."),
            persist_state="session",
        )
    return DisplayOptions(tint or "likely", count, logarithmic, not opened)
