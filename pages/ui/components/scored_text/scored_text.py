"""Scored text, word by word, each tinted by a number of its own; hover or click shows what stands behind a word."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from pages.ui.charts import charts, palette
from pages.ui.charts.token_text import Word

HERE = Path(__file__).parent

_STRIP = st.components.v2.component(
    "reading_strip",
    html='<div class="strip"><div class="words" role="group"></div><div class="card" role="status" hidden></div></div>',
    css=(HERE / "scored_text.css").read_text("utf-8"),
    js=(HERE / "scored_text.js").read_text("utf-8"),
)


def reading_strip(words: Sequence[Word], *, key: str, alt_text: str, size: str = "1.3rem", tall: str = "24rem") -> None:
    """Show the words in letters of this size, scrolling beyond this height."""
    _STRIP(
        key=key,
        data={
            "colours": palette.as_data(palette.of(charts.theme())),
            "words": [
                (w.text, w.colour, round(w.depth, 3), w.marked, w.head, w.lines, [(n, round(s, 4), t, k) for n, s, t, k in w.bars], w.below)
                for w in words
            ],
            "alt": alt_text,
            "size": size,
            "tall": tall,
        },
    )
