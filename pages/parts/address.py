"""Model and prompt in the browser's address, so that it can be kept, sent and gone back to.

Neither is bound to its widget: what is bound to one page is missing in the entry that the browser goes back to from another, and the
model's widget would write its title instead of its name.
"""

from __future__ import annotations

import streamlit as st

from pages.parts import visit, words
from pages.parts.visitor import here


def mark() -> None:
    """Before the page is known: the browser then writes the address and the page into its history as one entry."""
    hold_prompt()
    text = visit.prompt()
    if here().wish is None:
        if text == words.FIRST_PROMPT:
            st.query_params.pop("prompt", None)
        elif st.query_params.get("prompt") != text:
            st.query_params["prompt"] = text
    if visit.model_names():
        mark_model()


def hold_prompt() -> None:
    """Keep a link's prompt beyond the first page, and put it into the field before that is drawn for the first time."""
    if "prompt" not in st.session_state:
        st.session_state["prompt"] = visit.prompt()


def mark_model() -> None:
    """Before the models are drawn: mark the one asked for."""
    name = st.session_state["model"] = visit.model_name()
    if here().wish is not None:  # the address still says what the link asks for, for whoever loads the page again
        return
    if name == visit.model_names()[0]:
        st.query_params.pop("model", None)
    elif st.query_params.get("model") != name:
        st.query_params["model"] = name
