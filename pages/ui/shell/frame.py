"""Page frame: navigation, tabs, the guard for deep links, headings, styles, glossary, link to the next page."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import streamlit as st

from core.errors import ViewerError
from core.record import step_rows
from pages.ui import features
from pages.ui.charts import css_colours
from pages.ui.components.glossary.glossary import glossary
from pages.ui.features import FOLDED, GROUPS, LANDING, Feature
from pages.ui.i18n import phrases, spoken_language
from pages.ui.i18n.glossary import terms
from pages.ui.i18n.spoken_language import by_language
from pages.ui.i18n.translation import _
from pages.ui.presenting import talk, tour_state
from pages.ui.server import deployment
from pages.ui.session import current, elements, notices, operator_role
from pages.ui.session.state import current_session, session_started, start_session

GUIDED = frozenset({"tour", "stage", "notes", "operator"})  # pages with links of their own
AFTER = {"watch": "inside"}  # where the next page is not the following one in the menu
HERE = Path(__file__).parent


def pages() -> dict[str, list[st.Page]]:
    """Return the pages by section of the menu, for st.navigation. A visitor without a path lands on the first one.

    Made once per session, language and role: st.Page reads the file system several times for each page.
    """
    by_language, for_operator = current_session().page.navigation, _for_operator()
    key = (spoken_language.current(), for_operator)
    if key not in by_language:
        by_language[key] = _pages()
    return by_language[key]


def _for_operator() -> bool:
    return deployment.public() and operator_role.is_operator()


def section_of(group: str) -> str:
    """Return the translated title of the menu's section with this entry, "" for entries without a section."""
    return _("More") if group in FOLDED else ""


def _pages() -> dict[str, list[st.Page]]:
    sections: dict[str, list[st.Page]] = {section_of(group): [] for group in GROUPS}
    entries = {tabs[0].path for tabs in (features.tabs(group, _for_operator()) for group in GROUPS) if tabs}
    for path, feature in features.features().items():
        url = "start" if path == LANDING else feature.url
        title, visibility = (feature.group, "visible") if path in entries else (feature.title, "hidden")
        sections[section_of(feature.group)].append(_page(feature, url, title, default=path == LANDING, visibility=visibility))
    # After the pages themselves, because `st.page_link` takes the first one with a file: the names of the folders are addresses, too, also
    # the former ones. The landing page has none; a hidden copy of it gives links to /watch a page.
    for path, feature in features.features().items():
        others = [path] * (feature.url != path or path == LANDING) + [*feature.former]
        sections[section_of(GROUPS[-1])] += [_page(feature, other, feature.title, visibility="hidden") for other in others]
    return sections


def _page(feature: Feature, url: str, title: str, **page_options: Any) -> st.Page:
    return st.Page(feature.file, title=_(title), url_path=url, help=_(feature.sight), **page_options)


def show_tabs() -> None:
    """Draw links to the pages of the same entry of the menu, if there are several. A talk has its own order."""
    path = current_session().page.path
    if path is None or talk.active_talk() is not None:  # None: the page runs without app.py, so there are no links
        return
    open_page = features.feature_of(path)
    tabs = features.tabs(open_page.group, _for_operator())
    if len(tabs) == 1:
        return
    with st.container(horizontal=True, key="page_tabs"):
        for feature in tabs:
            label = _(feature.tab or feature.title)
            if feature is open_page:
                st.html(f'<a aria-current="page">{escape(label)}</a>', width="content")
            else:
                st.page_link(feature.file, label=label, width="content")


def following(path: str) -> Feature:
    """Return the page after the one with this path."""
    listed = [name for name in features.features() if name not in GUIDED]
    here = path if path in listed else LANDING
    after = AFTER.get(here, "")
    return features.feature_of(after if features.is_here(after) else listed[(listed.index(here) + 1) % len(listed)])


def show_next_page_link(path: str) -> None:
    """Draw the link at the end of the page with this path."""
    if path in GUIDED or talk.active_talk() is not None:  # a talk has its own order
        return
    feature = following(path)
    with st.container(key="next_page_link", gap="xsmall"):
        begun = tour_state.active_tour()
        if begun is not None:
            back = _("Back to the tour, stop {number}").format(number=begun.number)
            elements.page_link("tour", label=back, icon=":material/hiking:", width="content")
        label = _("Next: **{title}** {sight}").format(title=phrases.as_sentence(_(feature.title)), sight=_(feature.sight))
        st.page_link(feature.file, label=label, icon=":material/arrow_forward:", width="content")


def explain_terms(path: str) -> None:
    """Explain the terms on the page with this path; the glossary page needs none. app.py calls this for every page."""
    page = glossary(
        {
            "terms": [] if path == "glossary" else _data(),
            "here": path or "start",
            "label": _("Terms on this page"),
            "see": _("See it on the page: {page}"),
        }
    )
    if page:
        st.switch_page(features.feature_of(page).file)


@by_language(8)
def _data() -> list[tuple[str, list[str], str, str, str]]:
    """Return title, names, text, page and page title of every term; "" for a page that is not here."""
    pages = {term.page: features.title_of(term.page) if features.is_here(term.page) else "" for term in terms()}
    return [(term.title, list(term.names), term.text, term.page if pages[term.page] else "", pages[term.page]) for term in terms()]


def page() -> None:
    """Run app.py if the page was run without it. Call this first on every page.

    The first visit to a server that has just started, with a link to a page, runs that page without app.py.
    """
    if not session_started():
        start_session()
        st.navigation(pages(), position="hidden")
        st.rerun()
    if not current_session().page.draws:  # the command that records the results runs a page without app.py
        elements.act_on_press()
        current.begin_run()


def header(question: str, term: str = "", lead: str = "") -> None:
    """Draw a page's heading: its name, the technical term, its tabs, and what it answers, with one sentence about it."""
    title = features.title_of(current_session().page.path or "")
    asked = "" if question == title else phrases.as_sentence(question)
    with st.container(key="heading"):
        st.markdown(f"# {title}" + (f" :gray[:small[{term}]]" if term and term.casefold() != title.casefold() else ""))
        show_tabs()
        if asked or lead:
            st.caption(" ".join(filter(None, (f"**{asked}**" if asked else "", lead))))
    current_session().notices.head = st.container()
    with current_session().notices.head:
        elements.notices()


def compact_header(title: str, lead: str) -> None:
    """Draw a heading in one line, and the tabs."""
    with st.container(key="opening"):
        st.markdown(f"# {title}. :gray[{lead}]")
        show_tabs()
    current_session().notices.head = st.container()


def hidden_heading(title: str) -> None:
    """Draw the heading of a page without a visible one, for screen readers."""
    with st.container(key="unseen"):
        st.markdown(f"# {title}")


def late_notices() -> None:
    """Show at the head of the page the notices that were not shown on it. app.py calls this at the end of every page."""
    session = current_session()
    shown = session.notices.shown.union(current.notices() if session.notices.in_view else ())
    late = [note.text for note in session.notices.latest if note not in shown]
    if late and session.notices.head is not None:
        with session.notices.head:
            notices.show_notice(" ".join(late))


def inject_css() -> None:
    """Add the styles that the theme cannot express; and, for all of them, its colours and the scale of tints as variables.

    app.py calls this once per run.
    """
    st.html(_css(css_colours.theme()))


@cache
def _css(theme: str) -> str:
    colours = css_colours.as_data(css_colours.of(theme))
    scale = {"palest": f"{step_rows.PALEST:.0%}", "deepest": f"{step_rows.DEEPEST:.0%}"}
    paint = " ".join(f"{css_colours.variable(name)}: {value};" for name, value in (colours | scale).items())
    return f"<style>:root {{ {paint} }}\n{(HERE / 'frame.css').read_text('utf-8')}</style>"


def ensure_model_loaded() -> None:
    """Load the model before the page is drawn, so that the wait is shown in the middle of the page."""
    with suppress(ViewerError):  # shown where the model is used
        current.model()


def logo() -> None:
    """Draw the app's name in the header."""
    name = f"logo-{css_colours.theme()}.svg"
    st.logo(str(HERE / name), size="large")
