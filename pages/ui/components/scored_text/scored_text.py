"""Scored text: a text token by token, each tinted by its own number. Hover or a click shows the token's card."""

from __future__ import annotations

from collections.abc import Sequence

from core.reports import step_in_browser
from pages.ui.charts.step_tables import Word
from pages.ui.components.register import component

_TEXT = component("scored_text", "", step_in_browser.WORDS, "scored_text", styles=[step_in_browser.WORDS_STYLE])


def scored_text(words: Sequence[Word], *, key: str, alt_text: str, size: str = "1.3rem", max_height: str = "24rem") -> None:
    """Draw the tokens at this font size, scrolling beyond this height."""
    rows = [
        (w.text, w.colour, round(w.depth, 3), w.marked, w.head, w.lines, [(n, round(s, 4), t, k) for n, s, t, k in w.bars], w.below)
        for w in words
    ]
    _TEXT(key=key, data={"words": rows, "alt": alt_text, "size": size, "max_height": max_height})
