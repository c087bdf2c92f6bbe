"""Prompt field: the text that everything here goes on from, the same on every page."""

from __future__ import annotations

from typing import Literal

import streamlit as st

from pages.parts.session import share_link
from pages.parts.text import words


def own_text() -> None:
    """Draw the field across the page; `visit.prompt()` is what stands in it."""
    with st.container(key="own_text"):
        field()


def field(width: int | Literal["stretch"] = "stretch") -> None:
    """The field alone. Not bound to the address (`address.mark` writes it there): the browser's way back would lose what is bound."""
    st.text_area(
        "Prompt",
        value=words.FIRST_PROMPT,
        key="prompt",
        height=44,
        max_chars=share_link.LONGEST_PROMPT,
        label_visibility="collapsed",
        placeholder=words.PROMPT_HELP,
        width=width,
        persist_state="session",
    )
