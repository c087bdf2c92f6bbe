"""The glossary on every page: each use of a term can be hovered, focused or tapped, and says in two sentences what it means."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st

from core.language import _
from pages.ui.charts import charts, palette
from pages.ui.i18n.glossary import terms
from pages.ui.shell import navigation

HERE = Path(__file__).parent

_GLOSSARY = st.components.v2.component(
    "glossary", html="", js=(HERE / "glossary.js").read_text("utf-8"), css=(HERE / "glossary.css").read_text("utf-8")
)


def glossary(path: str) -> None:
    """Explain the terms of the page with this path; once for every page, from app.py. The glossary's own page explains itself."""
    told: Any = _GLOSSARY(
        key="glossary",
        data={
            "terms": [] if path == "glossary" else _data(),
            "here": path or "start",
            "label": _("Words of this page, explained"),
            "see": _("See it happen: {page}"),
            "colours": palette.as_data(palette.of(charts.theme())),
        },
        on_go_change=lambda: None,
    )
    target = navigation.page_of(str(told.go)) if told.go else None
    if target is not None:
        st.switch_page(target)


@cache
def _data() -> list[tuple[str, list[str], str, str, str]]:
    """Title, names, text, page and the page's title of every term."""
    return [(term.title, list(term.names), term.text, term.page, navigation.title_of(term.page)) for term in terms()]
