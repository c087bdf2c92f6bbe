"""Legend of a chart: colours with their meaning."""

from __future__ import annotations

from html import escape

import streamlit as st

from pages.ui.charts.palette import css


def legend(*entries: tuple[str, str]) -> None:
    """Draw (colour, meaning) pairs. A colour is a name of the palette or a value in CSS."""
    parts = "".join(
        '<span><span style="display:inline-block;width:0.7em;height:0.7em;'
        f'border-radius:0.2em;margin-right:0.35em;forced-color-adjust:none;background:{css(colour)}"></span>{escape(meaning)}</span>'
        for colour, meaning in entries
    )
    style = f"display:flex;flex-wrap:wrap;column-gap:0.9rem;font-size:0.85rem;line-height:1.4;color:{css('muted_text')}"
    st.html(f'<div style="{style}">{parts}</div>')
