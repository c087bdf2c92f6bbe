"""`draw` puts any chart on the page, with the menu that saves it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from html import escape
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st

from core.palette import DARK, Palette
from core.reports.chart_picture import Drawing, of_chart
from core.sampling.settings import SamplingSettings
from pages.ui.charts import chart_descriptions
from pages.ui.charts.charts import theme
from pages.ui.charts.parts import Spec
from pages.ui.session import provenance
from pages.ui.views.picture_menu import Saved, menu, rows_of

LONGEST_NOTE = 170  # characters of an alternative text that the saved picture has below its title


def draw(
    chart: Callable[..., Spec],
    table: pd.DataFrame | pa.Table,
    *,
    key: str,
    alt_text: str,
    title: str = "",
    legend: Iterable[tuple[str, str]] = (),
    settings: SamplingSettings | None = None,
    on_select: Callable[[], None] | None = None,
    described: bool = True,
    **options: Any,
) -> None:
    """Draw a chart with this table, and the menu that saves it.

    alt_text: what the chart shows, the same at every step, because another text would embed the chart again. described: also write the
    numbers for screen readers. on_select is called when a mark is clicked, in charts with a selection named `pick`. title, legend: of
    the saved picture; by default the alternative text and no legend. settings: of the shown step, if they are not the current ones.
    """
    picking: dict[str, Any] = {"on_select": on_select, "selection_mode": "pick"} if on_select else {}

    def saved() -> Saved:
        made_by = None if settings is None else provenance.with_settings(settings)
        return Saved(
            title or alt_text.rstrip("."),
            drawing,
            table,
            alt_text if title and len(alt_text) <= LONGEST_NOTE else "",
            tuple(legend),
            made_by,
        )

    def drawing(colours: Palette) -> Drawing:
        return of_chart(chart("dark" if colours is DARK else "light", **options), rows_of(table), colours)

    with st.container(key=f"chart_{key}", gap=None):
        st.vega_lite_chart(table, chart(theme(), **options), key=key, width="stretch", theme="streamlit", alt=alt_text, **picking)
        if described:
            st.html(f'<div class="tv-screen-reader">{escape(chart_descriptions.numbers_of(table))}</div>')
        menu(key, saved)
