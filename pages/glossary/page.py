"""Glossary: the terms of the field, in two sentences each, with a link to a page that shows them."""

from __future__ import annotations

import streamlit as st

from pages.ui import features
from pages.ui.i18n.glossary import Term, terms
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.shell import frame

frame.page()


def entry(term: Term) -> None:
    """Draw one term and its link."""
    with st.container(gap="xsmall", key=f"glossary_{term.key}"):
        elements.section(term.title)
        st.markdown(term.text)
        if features.is_here(term.page):
            label = _("See it on the page: {page}").format(page=features.title_of(term.page))
            st.page_link(features.file_of(term.page), label=label, icon=":material/visibility:", width="content")


frame.header(
    _("Terms of the field"),
    _("glossary"),
    _("Two sentences each. On every page a dotted line marks these terms: hover, tap, or use the Tab key."),
)
with drawing_boundary():
    looked_up = next((term.title.partition(" (")[0] for term in terms() if term.key == st.query_params.get("term")), "")
    if looked_up:  # a link to one term
        del st.query_params["term"]
        current.fill("glossary_find", looked_up)
    wanted = (st.text_input(_("Find a term"), key="glossary_find", max_chars=60, width=320, **PERSISTENT) or "").strip().casefold()
    matches = [term for term in terms() if not wanted or any(wanted in word.casefold() for word in (term.title, *term.names, term.text))]
    matches.sort(key=lambda term: bool(wanted) and not any(wanted in word.casefold() for word in (term.title, *term.names)))
    if not matches:
        st.caption(_("No term contains this text. Try a shorter one."))
    half = -(-len(matches) // 2)
    for column, listed in zip(st.columns(2, gap="large"), (matches[:half], matches[half:]), strict=True):
        with column:
            for term in listed:
                entry(term)
