"""The speaker's window: the coming odds, what to say next and a clock; it follows the stage in another window of this browser."""

from __future__ import annotations

from pages.ui.components.notes.notes import notes
from pages.ui.shell import frame

frame.page()
notes()
