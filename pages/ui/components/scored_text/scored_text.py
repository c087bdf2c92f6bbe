"""Scored text, word by word, each tinted by a number of its own; hover or click shows what stands behind a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import streamlit as st

from core.record.tokens import written
from pages.ui.charts import charts, palette

HERE = Path(__file__).parent

_STRIP = st.components.v2.component(
    "reading_strip",
    html='<div class="strip"><div class="words" role="group"></div><div class="card" role="status" hidden></div></div>',
    css=(HERE / "scored_text.css").read_text("utf-8"),
    js=(HERE / "scored_text.js").read_text("utf-8"),
)


@dataclass(frozen=True, slots=True)
class Word:
    """One token on the strip.

    colour: its name in the palette; depth: 0 (bare) to 1. below: small text under it. head, lines, bars: what its card says; a bar is
    (name, share 0-1, number, taken).
    """

    text: str
    colour: str = "dice"
    depth: float = 0.0
    marked: bool = False
    head: str = ""
    lines: tuple[str, ...] = ()
    bars: tuple[tuple[str, float, str, bool], ...] = ()
    below: str = ""


def shown(text: str, piece: str, raw: bytes) -> str:
    """A token as it stands in the text: its piece, or the character that it completes, and the bytes of one that it only begins.

    >>> shown("🦊", "⟨A6⟩⟨8A⟩", b"\xa6\x8a"), shown(" ", "␣⟨F0⟩⟨9F⟩", b" \xf0\x9f")
    ('🦊', '␣⟨F0⟩⟨9F⟩')
    """
    said = text.encode()
    if not text or said == raw:
        return piece
    told = next((count for count in range(len(raw), 0, -1) if said.endswith(raw[:count])), len(raw))
    return written(said) + written(raw[told:])


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
