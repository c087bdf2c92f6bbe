"""Charts of “Waiting”: the time of one request, and waiting time by load."""

from __future__ import annotations

import altair as alt

from pages.ui.charts.palette import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, shades, tips
from pages.ui.i18n import names
from pages.ui.i18n.translation import _, said

SHADES = ("model", "muted_text", "other", "computed", "dice", "doubt", "reused")  # of the kinds of time in `names.WAITS`
_TIME = "datum.value >= 1000 ? format(datum.value / 1000, '~r') + ' s' : format(datum.value, '~r') + ' ms'"


@chart_spec(8)
def timeline(colours: Palette) -> alt.TopLevelMixin:
    """One bar per side, divided into kinds of time. Columns: side, kind, start, stop (ms), tip, order."""
    axis = grey_axis(colours, labelExpr=_TIME, tickCount=6)
    kinds = dict(zip(said(names.WAITS).values(), (getattr(colours, name) for name in SHADES), strict=True))
    bars = CHART.mark_bar(height={"band": 0.72}, stroke=colours.page, strokeWidth=0.6).encode(
        y=alt.Y("side:N", sort=list(said(names.SIDES).values()), axis=grey_axis(colours, minExtent=120, labelLimit=150)),
        x=alt.X("start:Q", axis=axis, scale=alt.Scale(nice=False)),
        x2="stop:Q",
        color=shades("kind", kinds),
        tooltip=tips(("tip", _("time"))),
    )
    return alt.layer(bars).properties(height=120)


@chart_spec(8)
def load_curve(colours: Palette) -> alt.TopLevelMixin:
    """Mean wait by load: dots measured, dashed computed.

    Columns: load (%), wait, formula (ms), side ("one", "many", "formula"), label, tip.
    """
    across = alt.X(
        "load:Q",
        scale=alt.Scale(domain=[0, 100], nice=False),
        axis=grey_axis(
            colours,
            _("load, as a share of what one at a time can serve"),
            values=[0, 25, 50, 75, 100],
            labelExpr="datum.value + ' %'",
            offset=20,
        ),
    )
    axis = grey_axis(colours, tickCount=4, labelExpr=_TIME, minExtent=52, maxExtent=52)
    shade = shades("side", {"one": colours.dice, "many": colours.computed})
    base = CHART.encode(x=across)
    computed = base.transform_filter("datum.side === 'formula'").encode(y=alt.Y("formula:Q", axis=axis))
    measured = base.transform_filter("isValid(datum.wait)")
    up = alt.Y("wait:Q", axis=axis)

    def number(side: str, below: int) -> alt.Chart:
        label = measured.transform_filter(f"datum.side === '{side}'").mark_text(dy=below, fontSize=12, color=colours.text)
        return label.encode(y=up, text="label:N")

    layers = (
        computed.mark_line(strokeWidth=1.5, strokeDash=[4, 4], color=colours.muted_text),
        measured.mark_line(strokeWidth=2).encode(y=up, color=shade),
        measured.mark_point(filled=True, size=70, opacity=1).encode(y=up, color=shade, tooltip=tips(("tip", _("measured")))),
        number("one", -12),
        number("many", 14),
    )
    return alt.layer(*layers).properties(height=240)
