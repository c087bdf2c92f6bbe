"""How a browser draws a step: scripts and one style sheet, for the app's components and the offline pages."""

from __future__ import annotations

from pathlib import Path

_HERE = Path(__file__).parent
STEP = _HERE / "step.js"  # elements, rows of bars, tints; read before the others
WORDS = _HERE / "words.js"  # a text token by token
DICE = _HERE / "dice_strip.js"  # the strip of the dice with the roll
STYLE = _HERE / "step.css"
WORDS_STYLE = _HERE / "words.css"
_LIVE = _HERE / "live_view"  # the parts of the live view, in the app and in a live page
LIVE = tuple(_LIVE / f"{name}.js" for name in ("shown_run", "parts", "text", "bars", "step", "costs", "player", "prompt"))
LIVE_STYLE = _LIVE / "live.css"
