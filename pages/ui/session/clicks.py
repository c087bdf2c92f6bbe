"""Clicks on the bars and on the text."""

from __future__ import annotations

import streamlit as st

from pages.ui.i18n.language import _
from pages.ui.session import current
from pages.ui.session.state import error_boundary, notify


@error_boundary
def bar_clicked() -> None:
    """Choose the token whose bar was clicked."""
    picked = (st.session_state.get("odds") or {}).get("selection", {}).get("pick") or []
    entry = picked[0] if picked else {}
    token_id, index = entry.get("token_id"), entry.get("step")
    if not isinstance(token_id, int) or token_id < 0:
        return
    if index != current.shown().index:
        notify(_("That bar belongs to another step. Click it again."))
        return
    current.force(token_id)


@error_boundary
def word_clicked(strip: str = "strip") -> None:
    """Reopen the step of the token that was clicked in the text. strip: the key of the token strip."""
    index = getattr(st.session_state.get(strip), "opened", None)
    if isinstance(index, int):
        current.select_step(index)
