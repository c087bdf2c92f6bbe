"""A chart's rows as buttons for keyboard and screen reader: one Tab stop, arrows move, Enter chooses. Each button names its numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import streamlit as st

from pages.ui.components.register import component

_BARS = component("bar_keyboard", '<div class="bars" role="group" data-down></div><div class="ring" hidden></div>')


def bar_keyboard(rows: Sequence[tuple[int, str]], *, key: str, marks: str, label: str, on_take: Callable[[], None]) -> None:
    """Draw the buttons of a chart. rows: (id, label) in the order of the marks that the CSS selector `marks` finds.

    Choosing one puts its id into `taken(key)` and calls `on_take`.
    """
    _BARS(key=key, data={"rows": list(rows), "marks": marks, "label": label}, on_taken_change=on_take)


def taken(key: str) -> int | None:
    """Return the id of the row that was just chosen, None if the browser sent anything else."""
    value: Any = getattr(st.session_state.get(key), "taken", None)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
