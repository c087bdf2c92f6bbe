"""Set values: what the app itself put into a control (a preset, a reset), held against a browser that has not heard of it yet.

While it plays, the browser asks for the next part of the page several times a second, and each time it sends every control as it shows it.
What was sent before the new value arrived would put the old one back.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

import streamlit as st

from pages.ui.session.state import current_session

DELIVERY_SECONDS = 3.0  # seconds after which a browser has heard of it, even on a crowded machine


def set_value(key: str, value: Any) -> None:
    """This value into this control."""
    session, before = current_session(), st.session_state.get(key)
    session.set_values.pop(key, None)
    if session.playing and before is not None and before != value:
        session.set_values[key] = (before, value, monotonic())
    st.session_state[key] = value


def effective(key: str) -> Any:
    """What stands in a control, None if it is not there: not what it showed before the app set it, but what the visitor did since."""
    value, known = st.session_state.get(key), current_session().set_values.get(key)
    if known is None:
        return value
    before, wanted, since = known
    if value == before and monotonic() - since < DELIVERY_SECONDS:
        return wanted
    if value != wanted:
        del current_session().set_values[key]
    return value


def restore() -> None:
    """Before the controls are drawn: each as it is held."""
    for key in list(current_session().set_values):
        value = effective(key)
        if value is not None and st.session_state.get(key) != value:
            st.session_state[key] = value
