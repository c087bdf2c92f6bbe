"""Prompt field: the text that the model continues, the same on every page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import streamlit as st

from pages.ui.i18n.translation import _
from pages.ui.session import current
from pages.ui.session.elements import clear_notices
from pages.ui.session.error_boundary import drawing_boundary

if TYPE_CHECKING:
    pass

LONGEST_PASTED = 200_000  # characters


def own_text(check: bool = True) -> None:
    """Draw the field across the page; `current.prompt()` returns its text.

    check: say below it why the model cannot continue its text. Not needed where the page shows the run.
    """
    with st.container(key="own_text"):
        field()
    if check:
        with drawing_boundary():
            current.run()


def field(width: int | Literal["stretch"] = "stretch") -> None:
    """Draw the field alone.

    It is not bound to the address, because the browser's Back would lose its text; `address_bar` writes it there. Its `max_chars` is
    far above the limit of a prompt, because the browser cuts a pasted text silently; `current.run()` refuses the rest in a sentence.
    """
    st.text_area(
        _("Prompt"),
        value=current.prompt(),
        key="prompt",
        height=44,
        max_chars=LONGEST_PASTED,
        on_change=clear_notices,
        label_visibility="collapsed",
        placeholder=_("Write a text, then press Enter."),
        width=width,
        persist_state="session",
    )
