"""Excluded candidates on Watch: one row of the chart stands for all of them, and a click on it shows them."""

from __future__ import annotations

import streamlit as st

from pages.ui.session.state import error_boundary

SHOWN = "cut_shown"  # key of the switch in the popover "View"


def line_clicked(token_id: int) -> bool:
    """Return whether the visitor clicked that row. token_id: the id that the row has in the table."""
    picked = (st.session_state.get("odds") or {}).get("selection", {}).get("pick") or []
    return bool(picked) and picked[0].get("token_id") == token_id


@error_boundary
def show(opened: bool) -> None:
    """Show or hide the excluded candidates."""
    st.session_state[SHOWN] = opened
