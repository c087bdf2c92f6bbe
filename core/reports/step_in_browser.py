"""How a browser draws a step: one script and one style sheet, for the app's components and the offline page."""

from __future__ import annotations

from pathlib import Path

SCRIPT = Path(__file__).with_name("step.js")
STYLE = Path(__file__).with_name("step.css")
