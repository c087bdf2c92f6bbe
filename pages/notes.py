"""The speaker's window: the coming odds, what to say next and a clock; it follows the stage in another window of this browser."""

from __future__ import annotations

from pages.parts.components.notes.notes import notes
from pages.parts.layout import frame

frame.page()
notes()
