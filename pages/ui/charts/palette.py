"""The palette of charts, components and theme: the one that reports use, too."""

from __future__ import annotations

from core.palette import DARK, DARKEST, LIGHT, Palette, as_data, of

__all__ = ["DARK", "DARKEST", "LIGHT", "Palette", "as_data", "css", "of", "variable"]


def variable(name: str) -> str:
    """Return the CSS variable of a colour: `muted_text` is --tv-muted-text. `frame.inject_css` sets it on every page."""
    return f"--tv-{name.replace('_', '-')}"


def css(name: str) -> str:
    """Return a colour in CSS by its name. Any other colour stays as it is."""
    return f"var({variable(name)})" if name in as_data(LIGHT) else name
