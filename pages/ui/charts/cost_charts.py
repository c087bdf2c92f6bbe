"""Charts of the pages about cost, cache and memory."""

from __future__ import annotations

from typing import Any

import altair as alt

from pages.ui.charts.css_colours import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, shades, tips
from pages.ui.i18n.translation import _


@chart_spec(32)
def race(colours: Palette, length: int, column: str, unit: str, fitted: bool = False, single: bool = False) -> alt.TopLevelMixin:
    """Two runs by tokens written, the newest point of each labelled. Dashed: the fit; dots: single passes.

    Columns: token, runner ("with", "without"), what `column` names, label ("" but for the newest), tip; `fit` if fitted (empty where
    nothing was); if single, `raw` (one measurement, or the upper edge) and `over` (whether it is above the upper edge).
    """
    across = alt.X(
        "token:Q", scale=alt.Scale(domain=[0, length], nice=False), axis=grey_axis(colours, _("tokens written"), tickCount=5, format="~s")
    )
    # Only counts get a prefix (12k): before a unit it would look like a part of the unit.
    axis = grey_axis(
        colours,
        tickCount=4,
        format="~r" if unit else "~s",
        labelExpr=f"datum.value ? datum.label + ' {_(unit)}' : '0'",
        minExtent=46,
        maxExtent=46,
    )
    up = alt.Y(f"{column}:Q", scale=alt.Scale(domainMin=0, zero=True), axis=axis)
    base = CHART.encode(x=across, color=shades("runner", {"with": colours.dice, "without": colours.other}))
    layers: list[Any] = []
    if single:
        shape = alt.Shape("over:N", legend=None, scale=alt.Scale(domain=[False, True], range=["circle", "triangle-up"]))
        dots = base.mark_point(filled=True, size=22, opacity=0.35, clip=True)
        layers.append(dots.encode(y=alt.Y("raw:Q", axis=axis), shape=shape, tooltip=tips(("tip", _("this pass")))))
    line = base.transform_filter(f"isValid(datum.{column})")
    layers.append(line.mark_line(strokeWidth=2.5, strokeJoin="round", interpolate="linear").encode(y=up))
    if fitted:
        fitted_rows = base.transform_filter("isValid(datum.fit)")
        layers.append(fitted_rows.mark_line(strokeWidth=1.5, strokeDash=[4, 4], opacity=0.8).encode(y=alt.Y("fit:Q", axis=axis)))
    newest = line.transform_filter("datum.label !== ''")
    layers.append(newest.mark_point(filled=True, size=60, opacity=1).encode(y=up, tooltip=tips(("tip", _("value")))))
    layers.append(newest.mark_text(align="right", baseline="bottom", dx=2, dy=-8, fontSize=13, fontWeight=600).encode(y=up, text="label:N"))
    return alt.layer(*layers).properties(height=190)


@chart_spec(32)
def cache_grid(colours: Palette, layers: int, length: int, cells: bool) -> alt.TopLevelMixin:
    """The KV cache: a row per layer, a column per token, the newest column dark. Columns: layer, start, end, part, tip."""
    row = 22 if layers <= 12 else max(4, 264 // layers)
    across = alt.X(
        "start:Q",
        scale=alt.Scale(domain=[0, length], nice=False),
        axis=alt.Axis(
            values=list(range(length + 1)) if cells else [],
            grid=cells,
            gridColor=colours.page,
            gridOpacity=1,
            gridWidth=1.5,
            labels=False,
            ticks=False,
            domain=False,
            title=None,
            zindex=1,
        ),
    )
    up = alt.Y(
        "layer:O",
        scale=alt.Scale(domain=list(range(1, layers + 1)), paddingInner=0.16, paddingOuter=0.05),
        axis=grey_axis(colours, minExtent=46, maxExtent=46, labelExpr=f"'{_('layer')} ' + datum.label"),
    )
    bars = CHART.mark_bar(cornerRadius=1).encode(
        x=across,
        x2="end:Q",
        y=up,
        color=shades("part", {"kept": colours.reused, "new": colours.computed, "room": colours.line}),
        tooltip=tips(("tip", _("held"))),
    )
    return alt.layer(bars).properties(height=layers * row)


@chart_spec(16)
def spread(colours: Palette, longest: int) -> alt.TopLevelMixin:
    """Medians with the spread of the repeats. Columns: length, median, low, high (milliseconds), label, tip."""
    across = alt.X(
        "length:Q",
        scale=alt.Scale(domain=[0, longest], nice=False),
        axis=grey_axis(colours, _("tokens in the prompt"), tickCount=5, format="~s"),
    )
    axis = grey_axis(colours, tickCount=4, labelExpr="datum.value ? datum.label + ' ms' : ''", minExtent=54, maxExtent=54)
    up = alt.Y("median:Q", scale=alt.Scale(domainMin=0, zero=True), axis=axis)
    base = CHART.encode(x=across)
    bars = base.mark_rule(strokeWidth=5, strokeCap="round", color=colours.reused).encode(y=alt.Y("low:Q"), y2="high:Q")
    line = base.mark_line(strokeWidth=2, color=colours.computed).encode(y=up)
    points = base.mark_circle(size=70, color=colours.computed, opacity=1).encode(y=up, tooltip=tips(("tip", _("value"))))
    named = (
        base.transform_filter("datum.label !== ''")
        .mark_text(align="right", baseline="bottom", dx=-6, dy=-6, fontSize=13, fontWeight=600, color=colours.computed_text)
        .encode(y=up, text="label:N")
    )
    return alt.layer(bars, line, points, named).properties(height=230)


@chart_spec(8)
def memory_bar(colours: Palette) -> alt.TopLevelMixin:
    """Return a memory as one bar: weights, KV caches, free.

    Columns: start, end (0 to 1), part ("weights", "notepads", "free", "over"), tip.
    """
    parts = {"weights": colours.muted_text, "notepads": colours.computed, "free": colours.line, "over": colours.doubt}
    bars = CHART.mark_bar(height=34, stroke=colours.page, strokeWidth=0.6).encode(
        x=alt.X("start:Q", scale=alt.Scale(domain=[0, 1], clamp=True), axis=None),
        x2="end:Q",
        color=shades("part", parts),
        tooltip=tips(("tip", _("value"))),
    )
    return alt.layer(bars).properties(height=38)
