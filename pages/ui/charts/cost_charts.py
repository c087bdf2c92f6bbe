"""The charts of the pages about cost: constant specifications in the manner of `charts`, fed tables only."""

from __future__ import annotations

from typing import Any

import altair as alt

from core.language import _, by_language
from pages.ui.charts import charts
from pages.ui.charts import palette as palettes
from pages.ui.charts.charts import Spec


def _axis(colours: palettes.Palette, title: str | None = None, **more: Any) -> alt.Axis:
    """A few grey numbers and, where it is needed, what they count."""
    return alt.Axis(
        title=title,
        titleColor=colours.muted_text,
        titleFontWeight="normal",
        titleFontSize=12,
        domain=False,
        ticks=False,
        grid=False,
        labelColor=colours.muted_text,
        labelFontSize=11,
        labelPadding=4,
        labelOverlap=True,
        **more,
    )


def _runner(colours: palettes.Palette) -> alt.Color:
    return alt.Color("runner:N", legend=None, scale=alt.Scale(domain=["with", "without"], range=[colours.dice, colours.other]))


def _tips(*named: tuple[str, str]) -> list[alt.Tooltip]:
    return [alt.Tooltip(f"{column}:N", title=title) for column, title in named]


@by_language(32)
def race(theme: str, length: int, column: str, unit: str, height: int = 190, fitted: bool = False, single: bool = False) -> Spec:
    """Two runners against the tokens they have written, the newest point of each labelled; dashed, what was fitted; as dots, single passes.

    Columns: token, runner ("with", "without"), what `column` names, label ("" but for the newest), tip; `fit` if fitted (empty where
    nothing was); if single, `raw` (one measurement, or the upper edge) and `over` (whether it lies beyond).
    """
    colours = palettes.of(theme)
    across = alt.X(
        "token:Q", scale=alt.Scale(domain=[0, length], nice=False), axis=_axis(colours, _("tokens written"), tickCount=5, format="~s")
    )
    # A prefix (400m, 12k) is for counts alone: before a unit it would be read as part of it.
    axis = _axis(
        colours,
        tickCount=4,
        format="~r" if unit else "~s",
        labelExpr=f"datum.value ? datum.label + ' {_(unit)}' : '0'",
        minExtent=46,
        maxExtent=46,
    )
    up = alt.Y(f"{column}:Q", scale=alt.Scale(domainMin=0, zero=True), axis=axis)
    base = alt.Chart().encode(x=across, color=_runner(colours))
    layers: list[Any] = []
    if single:
        shape = alt.Shape("over:N", legend=None, scale=alt.Scale(domain=[False, True], range=["circle", "triangle-up"]))
        dots = base.mark_point(filled=True, size=22, opacity=0.35, clip=True)
        layers.append(dots.encode(y=alt.Y("raw:Q", axis=axis), shape=shape, tooltip=_tips(("tip", _("this pass")))))
    line = base.transform_filter(f"isValid(datum.{column})")
    layers.append(line.mark_line(strokeWidth=2.5, strokeJoin="round", interpolate="linear").encode(y=up))
    if fitted:
        there = base.transform_filter("isValid(datum.fit)")
        layers.append(there.mark_line(strokeWidth=1.5, strokeDash=[4, 4], opacity=0.8).encode(y=alt.Y("fit:Q", axis=axis)))
    newest = line.transform_filter("datum.label !== ''")
    layers.append(newest.mark_point(filled=True, size=60, opacity=1).encode(y=up, tooltip=_tips(("tip", _("here")))))
    layers.append(newest.mark_text(align="right", baseline="bottom", dx=2, dy=-8, fontSize=13, fontWeight=600).encode(y=up, text="label:N"))
    return charts._spec(alt.layer(*layers).properties(height=height))


@by_language(32)
def kept(theme: str, layers: int, length: int, cells: bool) -> Spec:
    """What is kept: a row for each layer, a column for each token; the newest column dark. Columns: layer, start, end, part, tip."""
    colours = palettes.of(theme)
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
        axis=_axis(colours, minExtent=46, maxExtent=46, labelExpr=f"'{_('layer')} ' + datum.label"),
    )
    bars = (
        alt.Chart()
        .mark_bar(cornerRadius=1)
        .encode(
            x=across,
            x2="end:Q",
            y=up,
            color=alt.Color(
                "part:N",
                legend=None,
                scale=alt.Scale(domain=["kept", "new", "room"], range=[colours.reused, colours.computed, colours.line]),
            ),
            tooltip=_tips(("tip", _("held"))),
        )
    )
    return charts._spec(alt.layer(bars).properties(height=layers * row))


@by_language(16)
def spread(theme: str, longest: int, height: int = 230) -> Spec:
    """Medians with the spread of the repeats. Columns: length, median, low, high (milliseconds), label, tip."""
    colours = palettes.of(theme)
    across = alt.X(
        "length:Q",
        scale=alt.Scale(domain=[0, longest], nice=False),
        axis=_axis(colours, _("tokens in the prompt"), tickCount=5, format="~s"),
    )
    axis = _axis(colours, tickCount=4, labelExpr="datum.value ? datum.label + ' ms' : ''", minExtent=54, maxExtent=54)
    up = alt.Y("median:Q", scale=alt.Scale(domainMin=0, zero=True), axis=axis)
    base = alt.Chart().encode(x=across)
    bars = base.mark_rule(strokeWidth=5, strokeCap="round", color=colours.reused).encode(y=alt.Y("low:Q"), y2="high:Q")
    line = base.mark_line(strokeWidth=2, color=colours.computed).encode(y=up)
    points = base.mark_circle(size=70, color=colours.computed, opacity=1).encode(y=up, tooltip=_tips(("tip", _("here"))))
    named = (
        base.transform_filter("datum.label !== ''")
        .mark_text(align="right", baseline="bottom", dx=-6, dy=-6, fontSize=13, fontWeight=600, color=colours.computed_text)
        .encode(y=up, text="label:N")
    )
    return charts._spec(alt.layer(bars, line, points, named).properties(height=height))


@by_language(8)
def shelf(theme: str) -> Spec:
    """A memory as one long bar: weights, notepads, free.

    Columns: start, end (shares of 1), part ("weights", "notepads", "free", "over"), tip.
    """
    colours = palettes.of(theme)
    shades = ["weights", "notepads", "free", "over"]
    bars = (
        alt.Chart()
        .mark_bar(height=34, stroke=colours.page, strokeWidth=0.6)
        .encode(
            x=alt.X("start:Q", scale=alt.Scale(domain=[0, 1], clamp=True), axis=None),
            x2="end:Q",
            color=alt.Color(
                "part:N",
                legend=None,
                scale=alt.Scale(domain=shades, range=[colours.removed, colours.computed, colours.line, colours.doubt]),
            ),
            tooltip=_tips(("tip", _("here"))),
        )
    )
    return charts._spec(alt.layer(bars).properties(height=38))
