"""Page frame: the guard for deep links, page headings, the styles, the notice of a full instance."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st

from core.errors import ViewerError
from core.record import tint
from core.sources.capabilities import missing
from pages.ui import features
from pages.ui.charts import charts, palette
from pages.ui.features import Feature
from pages.ui.i18n import phrases
from pages.ui.i18n.translation import _
from pages.ui.session import admission, current, elements
from pages.ui.shell import navigation

HERE = Path(__file__).parent
LOOK_FOR_A_SEAT = 5.0  # seconds


def page() -> None:
    """Run app.py if the page was run without it. Call this first on every page.

    The first visit to a server that has just started, with a link to a page, runs that page without app.py.
    """
    if not current.session_started():
        current.start_session()
        st.navigation(navigation.pages(), position="hidden")
        st.rerun()
    if not current.current_session().draws:  # the command that records the results runs a page without app.py
        elements.act_on_press()
        current.begin_run()


def header(question: str, term: str = "", lead: str = "") -> None:
    """Draw a page's heading: its name in the menu, the technical term, and what it answers, with one sentence about it."""
    title = features.title_of(current.current_session().page or "")
    st.markdown(f"# {title}" + (f" :gray[:small[{term}]]" if term and term.casefold() != title.casefold() else ""))
    asked = "" if question == title else phrases.as_sentence(question)
    if asked or lead:
        st.caption(" ".join(filter(None, (f"**{asked}**" if asked else "", lead))))
    current.current_session().head = st.container()
    with current.current_session().head:
        elements.notices()


def why_not(feature: Feature) -> str:
    """Return why the visitor's model cannot be used on a page; "" if it can, and if there is no model."""
    if not feature.needs:
        return ""
    try:
        return missing(current.model(), *feature.needs)
    except ViewerError:  # the page says why there is no model
        return ""


def instead_of_page(sentence: str) -> None:
    """Draw the heading of a page and why it cannot be used with the visitor's model."""
    header(features.title_of(current.current_session().page or ""))
    elements.show_notice(_(sentence))


def compact_header(title: str, lead: str) -> None:
    """Draw a heading in one line."""
    with st.container(key="opening"):
        st.markdown(f"# {title}. :gray[{lead}]")
    current.current_session().head = st.container()


def hidden_heading(title: str) -> None:
    """Draw the heading of a page without a visible one, for screen readers."""
    with st.container(key="unseen"):
        st.markdown(f"# {title}")


def late_notices() -> None:
    """Show at the head of the page the notices that were not shown on it. app.py calls this at the end of every page."""
    session = current.current_session()
    late = [note.text for note in session.notes if note not in session.shown_notices]
    if late and session.head is not None:
        with session.head:
            elements.show_notice(" ".join(late))


def notice_of_unknown_address(path: str) -> None:
    """Say that the address of a new session has no page. path: of the page that Streamlit opened instead, "" for the first one."""
    session = current.current_session()
    root = str(st.get_option("server.baseUrlPath")).strip("/")
    asked = urlsplit(st.context.url or "").path.strip("/").removeprefix(root).strip("/")
    if session.draws == 1 and not path and asked:
        current.notify(_("This app has no page at the address “{address}”. The page Watch is open instead.").format(address=asked[:60]))


def capacity_notice() -> None:
    """Say that all seats are taken; the page opens by itself when one is free."""
    elements.show_notice(
        _("All seats are taken. This page opens by itself when one is free. You can also run the app on your own machine.")
    )
    st.fragment(_seat, run_every=LOOK_FOR_A_SEAT, key="full_house")()


def _seat() -> None:
    if admission.admit():
        st.rerun()


def inject_css() -> None:
    """Add the styles that the theme cannot express; and, for all of them, its colours and the scale of tints as variables.

    app.py calls this once per run.
    """
    st.html(_css(charts.theme()))


@cache
def _css(theme: str) -> str:
    colours = palette.as_data(palette.of(theme))
    scale = {"palest": f"{tint.PALEST:.0%}", "deepest": f"{tint.DEEPEST:.0%}"}
    paint = " ".join(f"{palette.variable(name)}: {value};" for name, value in (colours | scale).items())
    return f"<style>:root {{ {paint} }}\n{(HERE / 'frame.css').read_text('utf-8')}</style>"


def ensure_model_loaded() -> None:
    """Load the model before the page is drawn, so that the wait is shown in the middle of the page."""
    with suppress(ViewerError):  # shown where the model is used
        current.model()


def logo() -> None:
    """Draw the app's name in the header."""
    name = f"logo-{charts.theme()}.svg"
    st.logo(str(HERE / name), size="large")
