"""Files that the open page offers: each is made at the press of its button, by the route `GET /run/file/KEY` (`live/routes.py`).

Streamlit's own download button loses a press during a run of the page: its file is removed, or the button replaced, when the run ends.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pages.ui.components.save_button.save_button import draw_save_button
from pages.ui.session.state import Session, current_session, memory

Content = Callable[[], str | bytes]


@dataclass(slots=True)
class OfferedFiles:
    """What makes each file of a page, by the key of its button."""

    page: str | None = None
    files: dict[str, Content] = field(default_factory=dict)


def save_button(label: str, content: str | bytes | Content, name: str, *, key: str, help: str = "", quiet: bool = False) -> None:
    """Draw the button that saves a file under this name.

    content: a function is called at the press, in another thread, in the visitor's language. label: "" shows the sign alone, and `help`
    is its name. quiet: without a border.
    """
    session, offered = current_session(), memory(OfferedFiles)
    if offered.page != session.page.path:
        offered.page = session.page.path
        offered.files.clear()
    offered.files[key] = content if callable(content) else lambda: content
    draw_save_button(label, key, name, session.live.key, key=key, help=help, quiet=quiet)


def offered_file(session: Session, key: str) -> Content | None:
    """Return what makes a file of this session, None if its page offers no such file."""
    offered = session.memory.get(OfferedFiles)
    return offered.files.get(key) if isinstance(offered, OfferedFiles) else None
