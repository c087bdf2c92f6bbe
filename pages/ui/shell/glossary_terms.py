"""Explanations of the glossary's terms on every page."""

from __future__ import annotations

import streamlit as st

from pages.ui import features
from pages.ui.components.glossary.glossary import glossary
from pages.ui.i18n.glossary import terms
from pages.ui.i18n.translation import _, by_language


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
    """Return title, names, text, page and page title of every term."""
    return [(term.title, list(term.names), term.text, term.page, features.title_of(term.page)) for term in terms()]
