"""The controls of a page in the address: read once, when the page opens with a link, and written whenever one is changed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from pages.ui.session.state import current_session

LONGEST = 4_000  # characters of a text


@dataclass(frozen=True, slots=True)
class LinkedControl:
    """key: of the widget. usual: its first value, which a link leaves out. allowed: what a link can set; None for a text."""

    key: str
    usual: object = None
    allowed: Sequence[object] | None = None


Linked = Mapping[str, LinkedControl]  # by the name in the address


def read(linked: Linked, of_sidebar: bool = False) -> None:
    """Set these controls from the address, once: when the page opens with one. Call it before they are drawn.

    of_sidebar: whether the settings in the sidebar, which is drawn before the page, depend on them: all is drawn again if one was set.
    """
    if is_written():
        return
    before = len(st.session_state)
    for name, control in linked.items():
        written = st.query_params.get(name)
        if written is None or control.key in st.session_state:
            continue
        value = (
            written[:LONGEST] if control.allowed is None else next((option for option in control.allowed if str(option) == written), None)
        )
        if value is not None:
            st.session_state[control.key] = value
    if of_sidebar and len(st.session_state) > before:
        st.rerun()


def is_written() -> bool:
    """Return whether the page has put something into its address since it was opened."""
    return bool(current_session().page.address)


def write(linked: Linked) -> None:
    """Put the controls that differ from their usual values into the address. Call it after they were drawn."""
    values = {name: st.session_state.get(control.key) for name, control in linked.items()}
    shown = {name: str(value) for name, value in values.items() if value not in (None, linked[name].usual)}
    put(shown)


def put(values: Mapping[str, str]) -> None:
    """Put what the page shows into its address; too long texts are left out."""
    current_session().page.address = {name: text for name, text in values.items() if len(text) <= LONGEST}
