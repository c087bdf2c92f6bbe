"""Prompt field: the text that everything here goes on from, the same on every page."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from core.language import _
from pages.ui.i18n import example_texts
from pages.ui.session import current, elements
from pages.ui.session.state import clear_notices


def own_text(check: bool = True) -> None:
    """Draw the field across the page; `current.prompt()` is what stands in it.

    check: say beneath it why its text cannot be written on from, if it cannot; not where the page shows the run and says so itself.
    """
    with st.container(key="own_text"):
        field()
    if check:
        with elements.error_boundary():
            current.run()


def field(width: int | Literal["stretch"] = "stretch") -> None:
    """The field alone. Not bound to the address (`url_state.mark` writes it there): the browser's way back would lose what is bound.

    Without `max_chars`: what is pasted beyond it the browser would throw away without a word. `current.run()` refuses it in a sentence.
    """
    st.text_area(
        _("Prompt"),
        value=example_texts.FIRST_PROMPT,
        key="prompt",
        height=44,
        on_change=clear_notices,
        label_visibility="collapsed",
        placeholder=_("The text the model goes on from. Change it, then press Ctrl + Enter."),
        width=width,
        persist_state="session",
    )
