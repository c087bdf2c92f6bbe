"""Page frame: the guard for deep links, headings, notices, the error boundary."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from core.errors import ViewerError
from core.language import _
from pages.parts.charts import charts
from pages.parts.layout import navigation, palette
from pages.parts.session import current
from pages.parts.text.plain import plain

log = logging.getLogger(__name__)
HERE = Path(__file__).parent
PAGES = HERE.parents[1]
LOOK_FOR_A_SEAT = 5.0  # seconds


def page() -> None:
    """The first line of every page: sends those the right way who came in by a side door.

    The first visit to a server that has just started, with a link to a page, runs that page without app.py.
    """
    if not current.session_started():
        current.start_session()
        st.navigation(navigation.pages(), position="hidden")
        st.rerun()


def header(title: str, term: str = "", lead: str = "") -> None:
    """A page's heading: a question or plain statement, the term of art in small grey, one sentence of what one sees."""
    st.markdown(f"# {title}" + (f" :gray[:small[{term}]]" if term else ""))
    if lead:
        st.caption(lead)
    current.current_session().head = st.container()
    with current.current_session().head:
        notices()


def opening(title: str, lead: str) -> None:
    """A heading in one quiet line, for a page whose hero is something else."""
    with st.container(key="opening"):
        st.markdown(f"# {title}. :gray[{lead}]")
    current.current_session().head = st.container()


def unseen_heading(title: str) -> None:
    """The heading of a page that shows none, for those who hear it."""
    with st.container(key="unseen"):
        st.markdown(f"# {title}")


def section(title: str, term: str = "", help: str | None = None) -> None:
    """The heading of a part of a page."""
    st.markdown(f"## {title}" + (f" :small[:gray[{term}]]" if term else ""), help=help)


def notices(place: str = "") -> None:
    """Show what there is to tell in this place, beside what was pressed; without a place, at the page's head. One box for all."""
    told = current.notices(place)
    if told:
        show_notice(" ".join(note.text for note in told))
    current.current_session().told.update(told)


def late_notices() -> None:
    """The end of the page: what was said since its head was drawn, or has a place that is not on this page, stands at the head, too.

    app.py does it for every page.
    """
    session = current.current_session()
    late = [note.text for note in session.notes if note not in session.told]
    if late and session.head is not None:
        with session.head:
            show_notice(" ".join(late))


def show_notice(sentence: str) -> None:
    """One calm sentence, letter by letter: whatever a stranger's name or complaint in it may spell."""
    st.info(plain(sentence), icon=":material/info:")


def full_house() -> None:
    """All seats are taken: whoever waits comes in by themselves once there is one."""
    show_notice(_("All seats are taken just now. You come in by yourself once one is free; or run the app on your own machine."))
    st.fragment(_seat, run_every=LOOK_FOR_A_SEAT, key="full_house")()


def _seat() -> None:
    if current.admit():
        st.rerun()


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


def then(verb: Callable[..., None], redraw: Sequence[str], *args: object) -> None:
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


def legend(*entries: tuple[str, str], hint: str = "") -> None:
    """Small swatches with their meaning: (colour, words). hint: what else can be done there, behind them."""
    parts = "".join(
        '<span style="white-space:nowrap;margin-right:0.9rem"><span style="display:inline-block;width:0.7em;height:0.7em;'
        f'border-radius:0.2em;margin-right:0.35em;background:{colour}"></span>{escape(told)}</span>'
        for colour, told in entries
    )
    told = f'<span style="display:inline-block">{escape(hint)}</span>' if hint else ""
    st.html(f'<div style="font-size:0.85rem;line-height:1.4;color:{palette.of(charts.theme()).muted_text}">{parts}{told}</div>')


def dress() -> None:
    """What the theme cannot say; once per run, from app.py."""
    colours = palette.of(charts.theme())
    names = {"muted": colours.muted_text, "on-dice": colours.on_dice, "focus": colours.dice, "dice-text": colours.dice_text}
    paint = f":root {{ {' '.join(f'--tv-{name}: {colour};' for name, colour in names.items())} }}"
    st.html(f"<style>{paint}\n{_css()}</style>")


@cache
def _css() -> str:
    return (HERE / "frame.css").read_text("utf-8")


def wake() -> None:
    """Load the model before anything is drawn around it, so that the wait has its place in the middle of the page."""
    with suppress(ViewerError):  # said where the model is asked for
        current.model()


def logo() -> None:
    """The app's name in the header."""
    name = f"logo-{charts.theme()}.svg"
    st.logo(str(HERE / name), size="large")
