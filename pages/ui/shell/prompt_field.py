"""Prompt field: the text that the model continues, the same on every page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import streamlit as st

from core.sources.capabilities import Can
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements
from pages.ui.session.elements import clear_notices
from pages.ui.session.error_boundary import drawing_boundary

if TYPE_CHECKING:
    from core import Generation

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


def final_space(run: Generation) -> None:
    """Say what a space at the end of the prompt does, and offer to remove it. Nothing is drawn for any other prompt."""
    last = run.prompt_tokens[-1].text if run.prompt_tokens else ""
    if Can.NEW_TOKENS not in run.can or run.path or run.as_chat or not last.endswith(" ") or last.strip():
        return
    with st.container(horizontal=True, vertical_alignment="center", key="final_space"):
        st.caption(
            _("The prompt ends in a space. Most tokens begin with their own space, so other tokens follow than expected."), width="content"
        )
        shorter = current.prompt().rstrip(" ")
        st.button(
            _("Remove the space"), on_click=elements.run_and_rerun, args=(current.use_prompt, (), shorter), type="tertiary", key="no_space"
        )


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
