"""The colours of charts, components and theme as CSS (the palette is the one that reports use), and a legend of them."""

from __future__ import annotations

from html import escape

import streamlit as st

from core.palette import DARK, DARKEST, LIGHT, Palette, as_data, of

__all__ = ["DARK", "DARKEST", "LIGHT", "Palette", "as_data", "css", "of", "theme", "variable"]


# Names of colours of the palette: an effect that raises a probability, one that lowers it; a value before a change, and after it.
RAISES, LOWERS = "dice", "other"
BEFORE, AFTER = "model", "dice"


def legend(*entries: tuple[str, str]) -> None:
    """Draw (colour, meaning) pairs. A colour is a name of the palette or a value in CSS."""
    parts = "".join(
        '<span><span style="display:inline-block;width:0.7em;height:0.7em;'
        f'border-radius:0.2em;margin-right:0.35em;forced-color-adjust:none;background:{css(colour)}"></span>{escape(meaning)}</span>'
        for colour, meaning in entries
    )
    style = f"display:flex;flex-wrap:wrap;column-gap:0.9rem;font-size:0.85rem;line-height:1.4;color:{css('muted_text')}"
    st.html(f'<div style="{style}">{parts}</div>')


def variable(name: str) -> str:
    """Return the CSS variable of a colour: `muted_text` is --tv-muted-text. `frame.inject_css` sets it on every page."""
    return f"--tv-{name.replace('_', '-')}"


def css(name: str) -> str:
    """Return a colour in CSS by its name. Any other colour stays as it is."""
    return f"var({variable(name)})" if name in as_data(LIGHT) else name


def theme() -> str:
    """Return the visitor's theme, "light" or "dark"."""
    return "dark" if st.context.theme.type == "dark" else "light"
