"""Values that the app itself sets in a control (a preset, a reset), protected from older values that the browser still sends.

During Play the browser requests a part of the page several times a second and sends the value of every control each time. A request
that left the browser before the new value arrived would restore the old one.
"""

from __future__ import annotations

from time import monotonic
from typing import Any

import streamlit as st

from pages.ui.session.state import Session, current_session

DELIVERY_SECONDS = 3.0  # seconds after which every browser has received a new value, even on a busy machine


def set_value(key: str, value: Any) -> None:
    """Set the value of a control."""
    session, before = current_session(), st.session_state.get(key)
    session.set_values.pop(key, None)
    if session.playing and before is not None and before != value:
        session.set_values[key] = (before, value, monotonic())
    st.session_state[key] = value


def effective(key: str, session: Session) -> Any:
    """Return the value of a control, None if it does not exist. An outdated value from the browser is replaced by the one the app set."""
    value, value_set = st.session_state.get(key), session.set_values.get(key)
    if value_set is None:
        return value
    before, wanted, since = value_set
    if value == before and monotonic() - since < DELIVERY_SECONDS:
        return wanted
    if value != wanted:
        del session.set_values[key]
    return value


def restore() -> None:
    """Write the effective values to the controls, before they are drawn."""
    session = current_session()
    for key in list(session.set_values):
        value = effective(key, session)
        if value is not None and st.session_state.get(key) != value:
            st.session_state[key] = value
