"""The popover View on Watch: tint, number of rows, scale, excluded tokens."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.ui.charts import distribution_rows
from pages.ui.i18n.translation import N_, _, said
from pages.ui.live import verbs
from pages.ui.session import current

TINTS = {"likely": N_("probability"), "unsure": N_("entropy"), "none": N_("no tint")}


@dataclass(frozen=True, slots=True)
class DisplayOptions:
    """tint: "likely", "unsure" or "none". rows: candidates listed. logarithmic: the axis. folded: excluded tokens in one line."""

    tint: str
    rows: int
    logarithmic: bool
    folded: bool


def popover() -> None:
    """Draw the popover with the options."""
    with st.popover(_("View"), icon=":material/visibility:", key="view"):
        st.segmented_control(
            _("Tint"),
            list(TINTS),
            default="likely",
            key="tint",
            format_func=said(TINTS).__getitem__,
            help=_("What the colour of each token shows."),
            required=True,
            persist_state="session",
        )
        st.slider(
            _("Rows"),
            distribution_rows.FEWEST,
            distribution_rows.MOST,
            distribution_rows.USUAL,
            key="rows",
            help=_("How many of the likeliest tokens are listed."),
            persist_state="session",
        )
        st.toggle(
            _("Logarithmic scale"),
            key="log",
            help=_("Shows small probabilities: each step to the left is ten times less likely."),
            persist_state="session",
        )
        st.toggle(
            _("Show excluded tokens"),
            key="cut_shown",
            help=_("Excluded tokens with a small probability are folded into one line. Shown, each has its own row."),
            persist_state="session",
        )


def chosen() -> DisplayOptions:
    """Return what is chosen, also where the popover is not drawn."""
    tint, rows = current.field("tint"), current.field("rows")
    return DisplayOptions(tint or "likely", rows or distribution_rows.USUAL, bool(current.field("log")), not current.field("cut_shown"))


def apply(display: DisplayOptions) -> None:
    """Let the live view show the bars as they are chosen."""
    verbs.show_rows(display.rows, display.folded)
