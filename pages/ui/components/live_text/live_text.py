"""Text field that reports every keystroke: it answers while one types."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.ui.charts import charts
from pages.ui.components.script import with_shared

HERE = Path(__file__).parent

_FIELD = st.components.v2.component(
    "live_text",
    html='<div class="box"><textarea rows="1" spellcheck="false"></textarea><div class="examples"></div></div>',
    css=(HERE / "live_text.css").read_text("utf-8"),
    js=with_shared(HERE / "live_text.js"),
)


def live_text(start: str, *, key: str, label: str, examples: dict[str, str], limit: int) -> str:
    """Draw the field and return what stands in it, cut to `limit` characters. start: what stands in it at first."""
    said = _FIELD(
        key=key,
        data={
            "colours": charts.colours(),
            "start": start[:limit],
            "label": label,
            "examples": list(examples.items()),
            "limit": limit,
        },
        on_text_change=_nothing,
    )
    return cleaned(said.text, start)[:limit]


def cleaned(said: object, start: str) -> str:
    """What the browser sent, if it is text that can be read at all; half a character is left out."""
    text = said if isinstance(said, str) else start
    return text.encode("utf-8", "ignore").decode("utf-8")


def _nothing() -> None:
    """The page reads the field by itself."""
