"""A chart's rows for the keyboard and for the ear: one Tab stop, arrows among the rows, Enter takes one; each says its numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st

from pages.ui.charts import charts, palette
from pages.ui.components.script import with_shared

HERE = Path(__file__).parent

_BARS = st.components.v2.component(
    "bar_buttons",
    html='<div class="bars" role="group" data-down></div><div class="ring" hidden></div>',
    css=(HERE / "bar_buttons.css").read_text("utf-8"),
    js=with_shared(HERE / "bar_buttons.js"),
)


def bar_buttons(rows: Sequence[tuple[int, str]], *, key: str, marks: str, label: str, on_take: Callable[[], None]) -> None:
    """Stand behind a chart. rows: (id, what is said of it or "" for none), in the order of the marks that the selector `marks` finds.

    Taking one puts its id under `taken(key)` and calls `on_take`.
    """
    _BARS(
        key=key,
        data={"rows": list(rows), "marks": marks, "label": label, "colour": palette.of(charts.theme()).dice},
        on_taken_change=on_take,
    )


def taken(key: str) -> int | None:
    """The id of the row that was just taken, None for anything else that a browser might send."""
    value: Any = getattr(st.session_state.get(key), "taken", None)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
