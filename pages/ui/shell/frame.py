"""Page frame: the guard for deep links, page headings, the styles, the notice of a full instance."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path

import streamlit as st

from core.errors import ViewerError
from core.language import _
from pages.ui.charts import charts, palette
from pages.ui.session import current, elements
from pages.ui.shell import navigation

HERE = Path(__file__).parent
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
        elements.notices()


def compact_header(title: str, lead: str) -> None:
    """A heading in one quiet line, for a page whose hero is something else."""
    with st.container(key="opening"):
        st.markdown(f"# {title}. :gray[{lead}]")
    current.current_session().head = st.container()


def hidden_heading(title: str) -> None:
    """The heading of a page that shows none, for those who hear it."""
    with st.container(key="unseen"):
        st.markdown(f"# {title}")


def late_notices() -> None:
    """The end of the page: what was said since its head was drawn, or has a place that is not on this page, stands at the head, too.

    app.py does it for every page.
    """
    session = current.current_session()
    late = [note.text for note in session.notes if note not in session.shown_notices]
    if late and session.head is not None:
        with session.head:
            elements.show_notice(" ".join(late))


def capacity_notice() -> None:
    """All seats are taken: whoever waits comes in by themselves once there is one."""
    elements.show_notice(_("All seats are taken just now. You come in by yourself once one is free; or run the app on your own machine."))
    st.fragment(_seat, run_every=LOOK_FOR_A_SEAT, key="capacity_notice")()


def _seat() -> None:
    if current.admit():
        st.rerun()


def inject_css() -> None:
    """What the theme cannot say; once per run, from app.py."""
    colours = palette.of(charts.theme())
    names = {"muted": colours.muted_text, "on-dice": colours.on_dice, "focus": colours.dice, "dice-text": colours.dice_text}
    paint = f":root {{ {' '.join(f'--tv-{name}: {colour};' for name, colour in names.items())} }}"
    st.html(f"<style>{paint}\n{_css()}</style>")


@cache
def _css() -> str:
    return (HERE / "frame.css").read_text("utf-8")


def ensure_model_loaded() -> None:
    """Load the model before anything is drawn around it, so that the wait has its place in the middle of the page."""
    with suppress(ViewerError):  # said where the model is asked for
        current.model()


def logo() -> None:
    """The app's name in the header."""
    name = f"logo-{charts.theme()}.svg"
    st.logo(str(HERE / name), size="large")
