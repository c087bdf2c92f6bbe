"""Candidates that were cut, on Watch: they lie in one line of the odds, which a click opens."""

from __future__ import annotations

import streamlit as st

from pages.ui.session.state import error_boundary

SHOWN = "cut_shown"  # the key of the switch in the view's popover


def line_clicked(token_id: int) -> bool:
    """Whether the click on the odds was on that line; token_id: the one that the line has in the table."""
    picked = (st.session_state.get("odds") or {}).get("selection", {}).get("pick") or []
    return bool(picked) and picked[0].get("token_id") == token_id


@error_boundary
def show(opened: bool) -> None:
    """Open the line, or fold it again."""
    st.session_state[SHOWN] = opened
