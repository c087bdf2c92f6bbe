"""The keys of the open page, listed at "?"."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from pages.parts.charts import charts
from pages.parts.layout import palette
from pages.parts.text import access_words as words

HERE = Path(__file__).parent

_LIST = st.components.v2.component(
    "key_list",
    html='<dialog aria-labelledby="title"><h2 id="title"></h2><dl></dl><button type="button"></button></dialog>',
    css=(HERE / "key_list.css").read_text("utf-8"),
    js=(HERE / "key_list.js").read_text("utf-8"),
)


def key_list() -> None:
    """Stand ready; once for every page, from app.py. What has no button on the page is left out by the browser."""
    _LIST(
        key="key_list",
        data={"title": words.KEYS_TITLE, "close": words.CLOSE, "keys": words.KEYS, "colours": palette.as_data(palette.of(charts.theme()))},
    )
