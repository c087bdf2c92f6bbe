"""The speaker's window: the next probabilities, the notes and a clock. It follows the stage in another window of this browser."""

from __future__ import annotations

from pages.ui.components.notes.notes import notes
from pages.ui.shell import frame

frame.page()
notes()
