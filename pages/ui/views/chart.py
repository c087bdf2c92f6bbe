"""`draw` puts any chart on the page, with the menu that saves it (`save_chart`), and so do the components that show numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from html import escape
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st

from core.palette import DARK, Palette
from core.record.step import Step, TokenDistribution
from core.record.tables import steps_table
from core.reports.chart_picture import Drawing, of_chart
from core.reports.live_view.texts import TINT_ENDS
from core.sampling.settings import SamplingSettings
from core.tokens.token_text import Token
from pages.ui.charts import component_drawings, css_colours, distribution_chart, distribution_rows, run_charts
from pages.ui.charts.parts import Spec
from pages.ui.charts.tree_rows import Row
from pages.ui.components.branch_tree.branch_tree import TreeAction
from pages.ui.components.branch_tree.branch_tree import branch_tree as tree_component
from pages.ui.components.live import live
from pages.ui.i18n.translation import _
from pages.ui.session import provenance
from pages.ui.views.save_chart import Saved, menu, rows_of

LONGEST_NOTE = 170  # characters of an alternative text that the saved picture has below its title


@contextmanager
def saved_as(key: str, make: Callable[[], Saved]) -> Iterator[None]:
    """Context of drawing a component: the menu that saves it follows in the same container."""
    with st.container(key=f"chart_{key}", gap=None):
        yield
        menu(key, make)


def dice(distribution: TokenDistribution | Step, *, key: str, still: bool = False) -> None:
    """Draw the strip of the dice; see `live.dice`."""
    with saved_as(key, partial(saved_dice, distribution)):
        live.dice(distribution, key=key, still=still)


def saved_dice(distribution: TokenDistribution | Step) -> Saved:
    """Return the dice of a step for the menu."""
    made_by = provenance.with_settings(distribution.settings)
    return Saved(
        _("The dice"), lambda c: component_drawings.dice(distribution, c), component_drawings.dice_table(distribution), made_by=made_by
    )


def text(prompt: Sequence[Token], path: Sequence[Step], *, key: str, tint: str = "likely", **options: Any) -> None:
    """Draw a text token by token; see `live.text`."""
    with saved_as(key, partial(saved_text, prompt, path, tint)):
        live.text(prompt, path, key=key, tint=tint, **options)


def bars(
    distribution: TokenDistribution | Step,
    rows: int,
    legend: Sequence[tuple[str, str]],
    *,
    key: str,
    logarithmic: bool = False,
    **words: str,
) -> None:
    """Draw the bars of a step; see `live.bars`. words: `alt_text` and `title` of the saved picture."""
    with saved_as(key, lambda: saved_bars(distribution, rows, legend, False, logarithmic, **words)):
        live.bars(distribution, rows, legend, key=key, logarithmic=logarithmic)


def saved_bars(
    distribution: TokenDistribution | Step, rows: int, legend: Sequence[tuple[str, str]], folded: bool, logarithmic: bool, **words: str
) -> Saved:
    """Return the bars of a step for the menu."""
    table = distribution_rows.distribution_rows(distribution, rows, folded)
    options: dict[str, Any] = {"legend": legend, "settings": distribution.settings, "rows": rows + 1, "logarithmic": logarithmic, **words}
    return saved_chart(distribution_chart.distribution, table, **options)


def saved_text(prompt: Sequence[Token], path: Sequence[Step], tint: str) -> Saved:
    """Return a text token by token for the menu."""
    ends = [_(end) for end in TINT_ENDS.get(tint, ())]
    return Saved(
        _("The text so far, token by token"),
        lambda c: component_drawings.token_text(prompt, path, tint, c),
        steps_table(path),
        _newest(len(prompt) + len(path)),
        (("line", ends[0]), ("doubt" if tint == "unsure" else "dice", ends[1])) if ends else (),
    )


def _newest(count: int) -> str:
    most = component_drawings.MOST_TOKENS
    return _("The newest {most} of {count} tokens.").format(most=most, count=count) if count > most else ""


def branch_tree(rows: Sequence[Row], *, key: str, title: str, **options: Any) -> TreeAction | None:
    """Draw the branch tree; see the component."""
    most = component_drawings.MOST_TREE_ROWS
    note = _("The first {most} of {count} rows.").format(most=most, count=len(rows)) if len(rows) > most else ""

    def saved() -> Saved:
        return Saved(title, lambda c: component_drawings.tree(rows, c), component_drawings.tree_table(rows), note)

    with saved_as(key, saved):
        return tree_component(rows, key=key, **options)


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
        return saved_chart(chart, table, alt_text=alt_text, title=title, legend=legend, settings=settings, **options)

    with st.container(key=f"chart_{key}", gap=None):
        st.vega_lite_chart(
            table, chart(css_colours.theme(), **options), key=key, width="stretch", theme="streamlit", alt=alt_text, **picking
        )
        if described:
            st.html(f'<div class="tv-screen-reader">{escape(run_charts.numbers_of(table))}</div>')
        menu(key, saved)


def saved_chart(
    chart: Callable[..., Spec],
    table: pd.DataFrame | pa.Table,
    *,
    alt_text: str,
    title: str = "",
    legend: Iterable[tuple[str, str]] = (),
    settings: SamplingSettings | None = None,
    **options: Any,
) -> Saved:
    """Return a chart with this table for the menu; see `draw`."""

    def drawing(colours: Palette) -> Drawing:
        return of_chart(chart("dark" if colours is DARK else "light", **options), rows_of(table), colours)

    note = alt_text if title and len(alt_text) <= LONGEST_NOTE else ""
    made_by = None if settings is None else provenance.with_settings(settings)
    return Saved(title or alt_text.rstrip("."), drawing, table, note, tuple(legend), made_by)
