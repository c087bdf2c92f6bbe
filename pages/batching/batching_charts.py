"""Charts of Batching: a number by batch size, and numbers over time."""

from __future__ import annotations

from typing import Any

import altair as alt

from pages.ui.charts.palette import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, tips
from pages.ui.i18n.translation import _


@chart_spec(16)
def batch_curve(colours: Palette, column: str, unit: str, ceiling: bool = False) -> alt.TopLevelMixin:
    """A measured `column` by batch size; dashed: the computed upper bound. Columns: size, `column`, ceiling, label, tip."""
    across = alt.X(
        "size:Q",
        scale=alt.Scale(type="log", base=2, nice=False, padding=16),
        axis=grey_axis(colours, _("requests per pass"), values=[1, 2, 4, 8, 16, 32, 64], format="d"),
    )
    axis = grey_axis(
        colours, tickCount=4, labelExpr=f"datum.value ? datum.label + ' {_(unit)}' : '0'", format="~s", minExtent=56, maxExtent=56
    )
    up = alt.Y(f"{column}:Q", scale=alt.Scale(zero=True), axis=axis)
    base = CHART.encode(x=across)
    layers: list[Any] = []
    if ceiling:
        layers.append(base.mark_line(strokeWidth=1.5, strokeDash=[4, 4], color=colours.muted_text).encode(y=alt.Y("ceiling:Q", axis=axis)))
    layers.append(base.mark_line(strokeWidth=2.5, color=colours.dice).encode(y=up))
    layers.append(base.mark_point(filled=True, size=60, opacity=1, color=colours.dice).encode(y=up, tooltip=tips(("tip", _("measured")))))
    layers.append(base.mark_text(baseline="bottom", dy=-9, fontSize=12, color=colours.text).encode(y=up, text="label:N"))
    return alt.layer(*layers).properties(height=210)


@chart_spec(8)
def over_time(colours: Palette, unit: str = "") -> alt.TopLevelMixin:
    """One or two numbers by seconds, as steps. Columns: seconds, value, series."""
    across = alt.X(
        "seconds:Q",
        scale=alt.Scale(nice=False, domainMin=0),
        axis=grey_axis(colours, tickCount=5, labelExpr="format(datum.value, '~r') + ' s'"),
    )
    axis = grey_axis(colours, tickCount=4, labelExpr=f"datum.label + '{unit}'", minExtent=40, maxExtent=40)
    shade = alt.Color("series:N", sort=None, legend=None, scale=alt.Scale(range=[colours.dice, colours.other]))
    line = CHART.mark_line(interpolate="step-after", strokeWidth=2).encode(x=across, y=alt.Y("value:Q", axis=axis), color=shade)
    return alt.layer(line).properties(height=150)
