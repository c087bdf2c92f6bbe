"""How a browser draws a step: scripts and one style sheet, for the app's components and the offline page."""

from __future__ import annotations

from functools import cache
from pathlib import Path

STYLE = Path(__file__).with_name("step.css")


@cache
def script() -> str:
    """Return the functions that draw bars and tints (step.js), and the strip of the dice with the roll (dice_strip.js)."""
    return "".join(STYLE.with_name(name).read_text("utf-8") for name in ("step.js", "dice_strip.js"))
