"""The charts of the pages about serving: constant specifications in the manner of `charts`, fed tables only."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import altair as alt

from pages.parts.charts import charts
from pages.parts.charts.charts import Spec
from pages.parts.charts.cost_charts import _axis, _tips
from pages.parts.layout import palette as palettes


@lru_cache(maxsize=16)
def batch_curve(theme: str, column: str, unit: str, ceiling: bool = False, height: int = 210) -> Spec:
    """What `column` is at each batch size, measured; dashed, the computed ceiling. Columns: size, `column`, ceiling, label, tip."""
    colours = palettes.of(theme)
    across = alt.X(
        "size:Q",
        scale=alt.Scale(type="log", base=2, nice=False, padding=16),
        axis=_axis(colours, "readers in one pass", values=[1, 2, 4, 8, 16, 32, 64], format="d"),
    )
    axis = _axis(colours, tickCount=4, labelExpr=f"datum.value ? datum.label + ' {unit}' : '0'", format="~s", minExtent=56, maxExtent=56)
    up = alt.Y(f"{column}:Q", scale=alt.Scale(zero=True), axis=axis)
    base = alt.Chart().encode(x=across)
    layers: list[Any] = []
    if ceiling:
        layers.append(base.mark_line(strokeWidth=1.5, strokeDash=[4, 4], color=colours.muted_text).encode(y=alt.Y("ceiling:Q", axis=axis)))
    layers.append(base.mark_line(strokeWidth=2.5, color=colours.dice).encode(y=up))
    layers.append(base.mark_point(filled=True, size=60, opacity=1, color=colours.dice).encode(y=up, tooltip=_tips(("tip", "measured"))))
    layers.append(base.mark_text(baseline="bottom", dy=-9, fontSize=12, color=colours.text).encode(y=up, text="label:N"))
    return charts._spec(alt.layer(*layers).properties(height=height))


@lru_cache(maxsize=8)
def guess_curve(theme: str, height: int = 190) -> Spec:
    """Tokens per pass by guesses: the computed line, and the measured dot. Columns: guesses, expected, measured (one), label."""
    colours = palettes.of(theme)
    across = alt.X("guesses:Q", scale=alt.Scale(nice=False), axis=_axis(colours, "tokens guessed ahead (K)", tickMinStep=1, format="d"))
    axis = _axis(colours, tickCount=4, minExtent=40, maxExtent=40)
    up = alt.Y("expected:Q", scale=alt.Scale(domainMin=0), axis=axis)
    base = alt.Chart().encode(x=across)
    line = base.mark_line(strokeWidth=1.5, strokeDash=[4, 4], color=colours.muted_text).encode(y=up)
    found = base.transform_filter("isValid(datum.measured)")
    dot = found.mark_point(filled=True, size=80, opacity=1, color=colours.dice).encode(y=alt.Y("measured:Q", axis=axis))
    name = found.mark_text(align="left", dx=9, fontSize=13, fontWeight=600, color=colours.text).encode(y="measured:Q", text="label:N")
    return charts._spec(alt.layer(line, dot, name).properties(height=height))


@lru_cache(maxsize=8)
def two_bars(theme: str, rows: int) -> Spec:
    """Two bars per token on 0 to 100 %: full precision pale, rounded deep. Columns: place, piece, full, rounded, label."""
    colours = palettes.of(theme)
    share = alt.Scale(domain=[0, 1], clamp=True, nice=False, rangeMax=alt.ExprRef("width - 110"))
    names = alt.Axis(title=None, domain=False, ticks=False, labelFontSize=13, labelColor=colours.text, labelLimit=120, minExtent=110)
    up = alt.Y("piece:N", sort=alt.SortField("place"), axis=names)
    base = alt.Chart().encode(y=up)
    full = base.mark_bar(height=17, color=colours.model, cornerRadius=2).encode(x=alt.X("full:Q", scale=share, axis=None))
    rounded = base.mark_bar(height=7, color=colours.dice, cornerRadius=2).encode(x=alt.X("rounded:Q", scale=share, axis=None))
    told = base.mark_text(align="left", dx=6, fontSize=12, color=colours.muted_text).encode(
        x=alt.X("end:Q", scale=share, axis=None), text="label:N"
    )
    return charts._spec(alt.layer(full, rounded, told).properties(height=28 * rows))


@lru_cache(maxsize=8)
def part_heat(theme: str, layers: int) -> Spec:
    """A strip of parts by layer; darker = more divergence. Columns: layer, part, damage, tip."""
    colours = palettes.of(theme)
    cells = (
        alt.Chart()
        .mark_rect(cornerRadius=2, stroke=colours.page, strokeWidth=2)
        .encode(
            x=alt.X("layer:O", sort=None, axis=_axis(colours, "layer", labelAngle=0)),
            y=alt.Y("part:N", sort=None, axis=_axis(colours, minExtent=90)),
            color=alt.Color("damage:Q", legend=None, scale=alt.Scale(type="sqrt", range=[colours.line, colours.dice], domainMin=0)),
            tooltip=_tips(("tip", "divergence")),
        )
    )
    return charts._spec(alt.layer(cells).properties(height=96))
