"""The terms of the glossary, explained wherever they stand on a page."""

from __future__ import annotations

import streamlit as st

from core.language import _, by_language
from pages.ui.charts import charts
from pages.ui.components.glossary.glossary import glossary
from pages.ui.i18n import page_titles
from pages.ui.i18n.glossary import terms


def explain_terms(path: str) -> None:
    """Explain the terms of the page with this path; once for every page, from app.py. The glossary's own page explains itself."""
    target = page_titles.page_of(
        glossary(
            {
                "terms": [] if path == "glossary" else _data(),
                "here": path or "start",
                "label": _("Words of this page, explained"),
                "see": _("See it happen: {page}"),
                "colours": charts.colours(),
            }
        )
    )
    if target is not None:
        st.switch_page(target)


@by_language(8)
def _data() -> list[tuple[str, list[str], str, str, str]]:
    """Title, names, text, page and the page's title of every term."""
    return [(term.title, list(term.names), term.text, term.page, page_titles.title_of(term.page)) for term in terms()]
