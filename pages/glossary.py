"""Glossary: the words of the field, two sentences each, with a way to where each can be seen happening."""

from __future__ import annotations

import streamlit as st

from core.language import _
from pages.ui.i18n import page_titles
from pages.ui.i18n.glossary import Term, terms
from pages.ui.session import elements
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame

frame.page()


def entry(term: Term) -> None:
    """One term, and the way to where it happens."""
    with st.container(gap="xsmall", key=f"glossary_{term.key}"):
        elements.section(term.title)
        st.markdown(term.text)
        page = page_titles.page_of(term.page)
        if page is not None:
            label = _("See it happen: {page}").format(page=page_titles.title_of(term.page))
            st.page_link(page, label=label, icon=":material/visibility:", width="content")


frame.header(
    _("Words of the field"),
    _("glossary"),
    _("Two sentences each. On every page a dotted line marks such a word: hover it, tap it, or go there with the Tab key."),
)
with elements.error_boundary():
    wanted = (st.text_input(_("Find a word"), key="glossary_find", max_chars=60, width=320, **PERSISTENT) or "").strip().casefold()
    found = [term for term in terms() if not wanted or any(wanted in word.casefold() for word in (term.title, *term.names, term.text))]
    found.sort(key=lambda term: bool(wanted) and not any(wanted in word.casefold() for word in (term.title, *term.names)))
    if not found:
        st.caption(_("There is no such word here. Try a shorter one."))
    half = -(-len(found) // 2)
    for column, listed in zip(st.columns(2, gap="large"), (found[:half], found[half:]), strict=True):
        with column:
            for term in listed:
                entry(term)
