"""`draw` puts any chart on the page, with the menu that saves it (`save_chart`), and so do the components that show numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any

import pandas as pd
import pyarrow as pa
import streamlit as st

from core.palette import DARK, Palette
from core.record.step import Step, TokenDistribution
from core.record.tables import steps_table
from core.reports.chart_picture import Drawing, of_chart
from core.sampling.settings import SamplingSettings
from core.tokens.token_text import Token
from pages.ui.charts import component_drawings, css_colours, run_charts
from pages.ui.charts.parts import Spec
from pages.ui.charts.tree_rows import Row
from pages.ui.components.branch_tree.branch_tree import TreeAction
from pages.ui.components.branch_tree.branch_tree import branch_tree as tree_component
from pages.ui.components.dice import dice
from pages.ui.components.token_strip import token_strip as strip_component
from pages.ui.i18n.translation import _
from pages.ui.session import provenance
from pages.ui.session.state import drawn
from pages.ui.views.save_chart import Saved, menu, rows_of

LONGEST_NOTE = 170  # characters of an alternative text that the saved picture has below its title


@contextmanager
def saved_as(key: str, make: Callable[[], Saved]) -> Iterator[None]:
    """Context of drawing a component: the menu that saves it follows in the same container."""
    with st.container(key=f"chart_{key}", gap=None):
        yield
        menu(key, make)


def dice_strip(seen: TokenDistribution | Step, *, key: str, still: bool = False) -> None:
    """Draw the dice strip; see the component."""

    def saved() -> Saved:
        made_by = provenance.with_settings(seen.settings)
        return Saved(_("The dice"), lambda c: component_drawings.dice(seen, c), component_drawings.dice_table(seen), made_by=made_by)

    with saved_as(key, saved):
        dice.dice_strip(seen, key=key, still=still)


def token_strip(prompt: Sequence[Token], path: Sequence[Step], *, key: str, tint: str = "likely", **options: Any) -> Any:
    """Draw the token strip; see the component."""

    def saved() -> Saved:
        ends = [_(end) for end in strip_component.TINT_ENDS.get(tint, ())]
        return Saved(
            _("The text so far, token by token"),
            lambda c: component_drawings.token_text(prompt, path, tint, c),
            steps_table(path),
            _newest(len(prompt) + len(path)),
            (("line", ends[0]), ("doubt" if tint == "unsure" else "dice", ends[1])) if ends else (),
        )

    with saved_as(key, saved):
        return strip_component.token_strip(prompt, path, key=key, memory=drawn(), tint=tint, **options)


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
        st.vega_lite_chart(
            table, chart(css_colours.theme(), **options), key=key, width="stretch", theme="streamlit", alt=alt_text, **picking
        )
        if described:
            st.html(f'<div class="tv-screen-reader">{escape(run_charts.numbers_of(table))}</div>')
        menu(key, saved)
