"""Charts of the pages under “What if”: two branches or two ways of answering."""

from __future__ import annotations

from typing import Any

import altair as alt

from pages.ui.charts.palette import Palette
from pages.ui.charts.parts import CHART, chart_spec, percent_axis, shades, small_axis, tips
from pages.ui.i18n.translation import _


def _sides(colours: Palette) -> alt.Color:
    """Return the colours of both sides: blue is the first, plum the second."""
    return shades("side", {"one": colours.dice, "other": colours.other})


def _places(colours: Palette) -> alt.X:
    return alt.X("place:Q", axis=small_axis(colours, ticks=6, format="d", tickMinStep=1), scale=alt.Scale(nice=False, padding=6))


def _percent(colours: Palette) -> Any:
    axis = percent_axis(colours, format="%", minExtent=38, maxExtent=38)
    return alt.Y("share:Q", axis=axis, scale=alt.Scale(domain=[0, 1], clamp=True))


@chart_spec(8)
def branch_distance(colours: Palette) -> alt.TopLevelMixin:
    """Distances from 0 to 1 by token, neighbours joined; a mark at the bottom for tokens without a counterpart.

    Columns: place, low, high, middle (all three empty without a counterpart), words, label, stretch (number of its line), where.
    """
    axis = percent_axis(colours, minExtent=38, maxExtent=38)
    scale = alt.Scale(domain=[0, 1], clamp=True)
    up = alt.Y("middle:Q", axis=axis, scale=scale)
    cards = tips(("where", _("place")), ("words", _("tokens")), ("label", _("distance")))
    base = CHART.encode(x=_places(colours))
    measured = base.transform_filter("isValid(datum.middle)")
    low = alt.Y("low:Q", axis=axis, scale=scale)
    interval = measured.mark_rule(color=colours.doubt, opacity=0.25, strokeWidth=7).encode(y=low, y2="high:Q")
    line = measured.mark_line(color=colours.doubt, strokeWidth=2.5).encode(y=up, detail="stretch:N")
    dots = measured.mark_circle(size=46, color=colours.doubt, opacity=1).encode(y=up, tooltip=cards)
    alone = (
        base.transform_filter("!isValid(datum.middle)")
        .mark_tick(orient="vertical", size=7, thickness=2, color=colours.removed)
        .encode(y=alt.datum(0, scale=scale), tooltip=cards)
    )
    return alt.layer(interval, line, dots, alone).properties(height=130)


@chart_spec(8)
def token_probabilities(colours: Palette) -> alt.TopLevelMixin:
    """Probabilities from 0 to 100 %, one dot per token and branch. Columns: place, side ("one", "other"), share, text, label."""
    dots = CHART.mark_circle(size=60, opacity=0.85).encode(
        x=_places(colours),
        y=_percent(colours),
        color=_sides(colours),
        tooltip=tips(("place", _("token")), ("text", _("text")), ("label", _("model"))),
    )
    return dots.properties(height=130)


@chart_spec(8)
def joint_probability(colours: Palette) -> alt.TopLevelMixin:
    """Two lines: the joint log-probability so far. Columns: place, side, log, together."""
    lines = CHART.mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=26, filled=True)).encode(
        x=_places(colours),
        y=alt.Y("log:Q", axis=small_axis(colours, ticks=3), scale=alt.Scale(domainMax=0, nice=False)),
        color=_sides(colours),
        tooltip=tips(("place", _("token")), ("together", _("joint"))),
    )
    return lines.properties(height=130)


@chart_spec(8)
def answer_probability(colours: Palette) -> alt.TopLevelMixin:
    """Two lines from 0 to 100 %: the probability of the right answer before every token. Columns: place, side, share, text, label."""
    base = CHART.encode(x=_places(colours), y=_percent(colours), color=_sides(colours))
    lines = base.mark_line(strokeWidth=2.5, interpolate="step-after")
    dots = base.mark_circle(size=30, opacity=1).encode(
        tooltip=tips(("place", _("token")), ("text", _("next token")), ("label", _("probability")))
    )
    return alt.layer(lines, dots).properties(height=190)


@chart_spec(8)
def right_answers(colours: Palette) -> alt.TopLevelMixin:
    """Two bars with confidence intervals. Columns: side, row, share, low, high, label."""
    axis = percent_axis(colours, 0, 0.25, 0.5, 0.75, 1, format="%")
    scale = alt.Scale(domain=[0, 1], clamp=True)
    base = CHART.encode(y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.35)))
    bars = base.mark_bar(cornerRadius=4, opacity=0.85).encode(x=alt.X("share:Q", axis=axis, scale=scale), color=_sides(colours))
    spans = base.mark_rule(strokeWidth=2.5, color=colours.text).encode(x=alt.X("low:Q", axis=axis, scale=scale), x2="high:Q")
    ends = [
        base.mark_tick(thickness=2.5, size=16, color=colours.text).encode(x=alt.X(f"{end}:Q", axis=axis, scale=scale))
        for end in ("low", "high")
    ]
    return alt.layer(bars, spans, *ends).properties(height=110)
