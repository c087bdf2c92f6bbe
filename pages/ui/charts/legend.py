"""Legend of a chart: colours with their meaning."""

from __future__ import annotations

from html import escape

import streamlit as st

from pages.ui.charts import charts, palette


def legend(*entries: tuple[str, str], hint: str = "") -> None:
    """Small swatches with their meaning: (colour, words). hint: what else can be done there, behind them."""
    parts = "".join(
        '<span style="white-space:nowrap;margin-right:0.9rem"><span style="display:inline-block;width:0.7em;height:0.7em;'
        f'border-radius:0.2em;margin-right:0.35em;background:{colour}"></span>{escape(told)}</span>'
        for colour, told in entries
    )
    told = f'<span style="display:inline-block">{escape(hint)}</span>' if hint else ""
    st.html(f'<div style="font-size:0.85rem;line-height:1.4;color:{palette.of(charts.theme()).muted_text}">{parts}{told}</div>')
