"""Prompt field: the text that the model continues, the same on every page."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from pages.ui.i18n import example_texts
from pages.ui.i18n.language import _
from pages.ui.session import current, elements
from pages.ui.session.state import clear_notices

LONGEST_PASTED = 200_000  # characters


def own_text(check: bool = True) -> None:
    """Draw the field across the page; `current.prompt()` returns its text.

    check: say below it why the model cannot continue its text. Not needed where the page shows the run.
    """
    with st.container(key="own_text"):
        field()
    if check:
        with elements.error_boundary():
            current.run()


def field(width: int | Literal["stretch"] = "stretch") -> None:
    """Draw the field alone.

    It is not bound to the address, because the browser's Back would lose its text; `url_state.mark` writes it there. Its `max_chars` is
    far above the limit of a prompt, because the browser cuts a pasted text silently; `current.run()` refuses the rest in a sentence.
    """
    st.text_area(
        _("Prompt"),
        value=example_texts.FIRST_PROMPT,
        key="prompt",
        height=44,
        max_chars=LONGEST_PASTED,
        on_change=clear_notices,
        label_visibility="collapsed",
        placeholder=_("The text that the model continues. Change it, then press Ctrl + Enter."),
        width=width,
        persist_state="session",
    )
