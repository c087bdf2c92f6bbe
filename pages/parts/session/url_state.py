"""Model and prompt in the browser's address, so that it can be kept, sent and gone back to.

Neither is bound to its widget: what is bound to one page is missing in the entry that the browser goes back to from another, and the
model's widget would write its title instead of its name.
"""

from __future__ import annotations

import streamlit as st

from pages.parts.session import current, share_link
from pages.parts.session.state import current_session
from pages.parts.text import words


def mark() -> None:
    """Before the page is known: the browser then writes the address and the page into its history as one entry."""
    if "prompt" not in st.session_state:  # a link's prompt outlives its first page, on which there may be no field for it
        st.session_state["prompt"] = current.prompt()
    names = current.model_names()
    if names:
        st.session_state["model"] = current.model_name()
    if current_session().requested is not None:  # the address still says what the link asks for, for whoever loads the page again
        return
    prompt = current.prompt()
    if len(prompt) <= share_link.LONGEST_PROMPT:  # of a longer one the field keeps all, and nothing is written from it
        _write("prompt", prompt, words.FIRST_PROMPT)
    if names:
        _write("model", current.model_name(), names[0])


def _write(name: str, value: str, usual: str) -> None:
    """What is as usual is left out."""
    if value == usual:
        st.query_params.pop(name, None)
    elif st.query_params.get(name) != value:
        st.query_params[name] = value
