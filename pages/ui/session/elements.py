"""Elements that pages and views share: headings of sections, notices, buttons, the error boundary."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import streamlit as st

from core.errors import ViewerError
from core.language import _
from pages.ui.i18n.safe_text import plain
from pages.ui.session import current

log = logging.getLogger(__name__)
PAGES = Path(__file__).parents[2]


def section(title: str, term: str = "", help: str | None = None) -> None:
    """The heading of a part of a page."""
    st.markdown(f"## {title}" + (f" :small[:gray[{term}]]" if term else ""), help=help)


def notices(place: str = "") -> None:
    """Show what there is to tell in this place, beside what was pressed; without a place, at the page's head. One box for all."""
    told = current.notices(place)
    if told:
        show_notice(" ".join(note.text for note in told))
    current.current_session().told.update(told)


def show_notice(sentence: str) -> None:
    """One calm sentence, letter by letter: whatever a stranger's name or complaint in it may spell."""
    st.info(plain(sentence), icon=":material/info:")


def ready() -> bool:
    """Whether there is a run to show; if not, the sentence on why stands here instead, and nothing of an old run beneath it."""
    try:
        current.run()
    except ViewerError as error:
        notices()
        show_notice(str(error))
        return False
    return True


@contextmanager
def error_boundary() -> Iterator[None]:
    """Around everything that may fail: one sentence for the visitor, the details for the log."""
    try:
        yield
    except ViewerError as error:
        show_notice(str(error))
    except Exception:
        log.exception("The page failed")
        show_notice(_("Something went wrong here, and it is our fault. What you made is still there; try again."))


def run_and_rerun(verb: Callable[..., None], redraw: Sequence[str], *args: object) -> None:
    """For callbacks inside a fragment: do it, then draw the fragments of these keys again; the whole page if none is named or it plays."""
    played = current.playing()
    verb(*args)
    if redraw and not played and not current.playing():
        st.rerun(list(redraw))
    st.rerun()


def button(label: str, verb: Callable[[], None], **look: Any) -> None:
    """A button that takes what stands in the fields now, even if it was typed the moment before.

    Streamlit calls `on_click` with what the last drawing gave it, which knows nothing of a text that comes with the press.
    """
    if st.button(label, **look):
        verb()
        st.rerun()
