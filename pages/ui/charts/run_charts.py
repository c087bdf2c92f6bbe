"""Charts of a run, and their descriptions for screen readers: the numbers in words.

A chart is a function that returns a constant Altair specification; tables are sent beside it. The specification depends on the theme and
on few options, never on the step: then Vega replaces the data and does not embed the chart again.
"""

from __future__ import annotations

from typing import Any

import altair as alt
import pandas as pd
import pyarrow as pa

from pages.ui.charts.css_colours import Palette
from pages.ui.charts.parts import CHART, by_kind, chart_spec, small_axis, tips
from pages.ui.i18n.translation import _

MOST = 12  # described rows: the first, or the newest of a chart that grows with the steps
NEWEST_LAST = ("slot", "index", "step")  # columns of charts that grow with the steps
_ABOVE_ZERO = "datum.value ? datum.label : ''"  # an axis without data would show 0.000000 or NaN


def numbers_of(table: pd.DataFrame | pa.Table) -> str:
    """Return the numbers of a chart in one line, as the chart and its cards show them.

    >>> numbers_of(pd.DataFrame({"label": ["fox", "cat"], "number": ["12 %", "3 %"]}))
    'fox 12 %; cat 3 %.'
    """
    names = list(table.column_names if isinstance(table, pa.Table) else table.columns)
    columns = _described(names)
    count = table.num_rows if isinstance(table, pa.Table) else len(table)
    if not columns or not count:
        return ""
    if any(name in names for name in NEWEST_LAST) and "row" not in names:
        texts = list(filter(None, map(_row, _rows(table, columns, count))))[-MOST:]  # empty places are reserved for later steps
    else:
        texts = list(filter(None, map(_row, _rows(table, columns, MOST))))
    texts = list(dict.fromkeys(texts))
    return "; ".join(texts) + "." if texts else ""


def _rows(table: pd.DataFrame | pa.Table, columns: list[str], most: int) -> list[dict[str, Any]]:
    """Return the first rows of these columns."""
    if isinstance(table, pa.Table):
        return list(table.select(columns).slice(0, most).to_pylist())
    return list(table[columns].iloc[:most].to_dict("records"))


def _described(names: list[str]) -> list[str]:
    """Return the columns with text for people: those of a card, else label and number."""
    if "tip" in names:
        return ["tip"]
    if "number" in names:
        return [name for name in ("label", "number", "note") if name in names]
    return [name for name in ("part", "token", "label") if name in names][:1] + [name for name in names if name.endswith("_text")]


def _row(row: dict[str, Any]) -> str:
    """Return the texts of a row in one line; "" if it holds no more than its kind."""
    words, is_filled = [], False
    for column, value in row.items():
        if isinstance(value, str) and value.strip() not in ("", "–"):
            words += (_(value) if column == "part" else value).split()
            is_filled = is_filled or column != "part"
    return " ".join(words) if is_filled else ""


def _steps_axis(colours: Palette) -> alt.X:
    """Return the steps from left to right, without an axis."""
    return alt.X("slot:O", axis=None, scale=alt.Scale(type="band", paddingInner=0.18, paddingOuter=0))


@chart_spec(8)
def notepad(colours: Palette) -> alt.TopLevelMixin:
    """One bar per step: positions reused from the cache below, newly computed ones on top. The first bar is the prefill.

    Columns: slot, bottom, top, part ("reused", "computed"), label, step_text, bytes_text, reused_text, computed_text.
    """
    base = CHART.encode(x=_steps_axis(colours))
    bars = base.mark_bar(cornerRadius=1.5).encode(
        y=alt.Y(
            "bottom:Q", axis=small_axis(colours, format="~s", labelExpr=_ABOVE_ZERO), scale=alt.Scale(domainMin=0, nice=False, rangeMax=15)
        ),
        y2="top:Q",
        color=alt.Color("part:N", legend=None, scale=alt.Scale(domain=["reused", "computed"], range=[colours.reused, colours.computed])),
        tooltip=tips(("step_text", _("step")), ("reused_text", _("reused")), ("computed_text", _("computed")), ("bytes_text", _("in use"))),
    )
    named = base.mark_text(align="left", baseline="top", dx=-4, fontSize=11, color=colours.computed_text).encode(
        y=alt.value(0), text="label:N"
    )
    return alt.layer(bars, named).properties(height=104)


@chart_spec(8)
def step_time(colours: Palette) -> alt.TopLevelMixin:
    """Milliseconds per step. Columns: slot, milliseconds, part ("reused" or "computed": a step or the prefill), step_text, time_text."""
    bars = CHART.mark_bar(cornerRadius=1.5).encode(
        x=_steps_axis(colours),
        y=alt.Y("milliseconds:Q", axis=small_axis(colours, ticks=2, format="~r", labelExpr=_ABOVE_ZERO), scale=alt.Scale(domainMin=0)),
        color=by_kind("datum.part", {"computed": colours.computed}, colours.muted_text),
        opacity=alt.value(0.85),
        tooltip=tips(("step_text", _("step")), ("time_text", _("time"))),
    )
    return bars.properties(height=66)


@chart_spec(8)
def surprise(colours: Palette) -> alt.TopLevelMixin:
    """Entropy before each step as a stair, surprise of the chosen token as dots, both in bits.

    Columns: slot, zero, entropy, surprise, token, entropy_text, surprise_text.
    """
    base = CHART.encode(x=_steps_axis(colours))
    scale = alt.Scale(domainMin=0, nice=True)
    cards = tips(("token", _("token")), ("entropy_text", _("entropy")), ("surprise_text", _("surprise")))
    places = base.mark_tick(opacity=0).encode(y=alt.Y("zero:Q", scale=scale))
    entropy = base.mark_area(interpolate="step", color=colours.doubt, opacity=0.22, line={"color": colours.doubt, "strokeWidth": 2}).encode(
        y=alt.Y("entropy:Q", axis=small_axis(colours, ticks=2, labelExpr=_ABOVE_ZERO), scale=scale)
    )
    dots = base.mark_circle(size=26, color=colours.text, opacity=0.75).encode(y=alt.Y("surprise:Q", scale=scale), tooltip=cards)
    return alt.layer(places, entropy, dots).properties(height=84)
