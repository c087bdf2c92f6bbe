"""How a browser draws a step: scripts and one style sheet, for the app's components and the offline page."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent
STEP = _HERE / "step.js"  # elements, rows of bars, tints; read before the others
WORDS = _HERE / "words.js"  # a text token by token
DICE = _HERE / "dice_strip.js"  # the strip of the dice with the roll
STYLE = _HERE / "step.css"
