"""Talk bar: the current stop of a talk, above an ordinary page, and its keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pages.ui.components.register import component

_BAR = component("talk_bar")


def talk_bar(key: str, data: dict[str, Any], on_did: Callable[[], None]) -> None:
    """Draw the bar. `on_did` is called at its keys, with the event in `st.session_state[key].did`."""
    _BAR(key=key, data=data, on_did_change=on_did)
