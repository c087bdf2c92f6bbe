"""Charts of the pages under “What if”: two branches or two ways of answering."""

from __future__ import annotations

from typing import Any

import altair as alt

from pages.ui.charts import palette as palettes
from pages.ui.charts.parts import Spec, percent_axis, shades, small_axis, spec, tips
from pages.ui.i18n.language import _, by_language


def _sides(colours: palettes.Palette) -> alt.Color:
    """Return the colours of both sides: blue is the first, plum the second."""
    return shades("side", {"one": colours.dice, "other": colours.other})


def _places(colours: palettes.Palette) -> alt.X:
    return alt.X("place:Q", axis=small_axis(colours, ticks=6, format="d", tickMinStep=1), scale=alt.Scale(nice=False, padding=6))


def _percent(colours: palettes.Palette) -> Any:
    axis = percent_axis(colours, format="%", minExtent=38, maxExtent=38)
    return alt.Y("share:Q", axis=axis, scale=alt.Scale(domain=[0, 1], clamp=True))


@by_language(8)
def branch_distance(theme: str) -> Spec:
    """Distances from 0 to 1 by token, neighbours joined; a mark at the bottom for tokens without a counterpart.

    Columns: place, low, high, middle (all three empty without a counterpart), words, label, stretch (number of its line), where.
    """
    colours = palettes.of(theme)
    axis = percent_axis(colours, minExtent=38, maxExtent=38)
    scale = alt.Scale(domain=[0, 1], clamp=True)
    up = alt.Y("middle:Q", axis=axis, scale=scale)
    cards = tips(("where", _("place")), ("words", _("tokens")), ("label", _("distance")))
    base = alt.Chart().encode(x=_places(colours))
    there = base.transform_filter("isValid(datum.middle)")
    low = alt.Y("low:Q", axis=axis, scale=scale)
    interval = there.mark_rule(color=colours.doubt, opacity=0.25, strokeWidth=7).encode(y=low, y2="high:Q")
    line = there.mark_line(color=colours.doubt, strokeWidth=2.5).encode(y=up, detail="stretch:N")
    dots = there.mark_circle(size=46, color=colours.doubt, opacity=1).encode(y=up, tooltip=cards)
    alone = (
        base.transform_filter("!isValid(datum.middle)")
        .mark_tick(orient="vertical", size=7, thickness=2, color=colours.removed)
        .encode(y=alt.datum(0, scale=scale), tooltip=cards)
    )
    return spec(alt.layer(interval, line, dots, alone).properties(height=130))


@by_language(8)
def token_probabilities(theme: str) -> Spec:
    """Probabilities from 0 to 100 %, one dot per token and branch. Columns: place, side ("one", "other"), share, text, label."""
    colours = palettes.of(theme)
    dots = (
        alt.Chart()
        .mark_circle(size=60, opacity=0.85)
        .encode(
            x=_places(colours),
            y=_percent(colours),
            color=_sides(colours),
            tooltip=tips(("place", _("token")), ("text", _("text")), ("label", _("model"))),
        )
    )
    return spec(dots.properties(height=130))


@by_language(8)
def joint_probability(theme: str) -> Spec:
    """Two lines: the joint log-probability so far. Columns: place, side, log, together."""
    colours = palettes.of(theme)
    lines = (
        alt.Chart()
        .mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=26, filled=True))
        .encode(
            x=_places(colours),
            y=alt.Y("log:Q", axis=small_axis(colours, ticks=3), scale=alt.Scale(domainMax=0, nice=False)),
            color=_sides(colours),
            tooltip=tips(("place", _("token")), ("together", _("joint"))),
        )
    )
    return spec(lines.properties(height=130))


@by_language(8)
def answer_probability(theme: str) -> Spec:
    """Two lines from 0 to 100 %: the probability of the right answer before every token. Columns: place, side, share, text, label."""
    colours = palettes.of(theme)
    base = alt.Chart().encode(x=_places(colours), y=_percent(colours), color=_sides(colours))
    lines = base.mark_line(strokeWidth=2.5, interpolate="step-after")
    dots = base.mark_circle(size=30, opacity=1).encode(
        tooltip=tips(("place", _("token")), ("text", _("next token")), ("label", _("probability")))
    )
    return spec(alt.layer(lines, dots).properties(height=190))


@by_language(8)
def right_answers(theme: str) -> Spec:
    """Two bars with confidence intervals. Columns: side, row, share, low, high, label."""
    colours = palettes.of(theme)
    axis = percent_axis(colours, 0, 0.25, 0.5, 0.75, 1, format="%")
    scale = alt.Scale(domain=[0, 1], clamp=True)
    base = alt.Chart().encode(y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.35)))
    bars = base.mark_bar(cornerRadius=4, opacity=0.85).encode(x=alt.X("share:Q", axis=axis, scale=scale), color=_sides(colours))
    spans = base.mark_rule(strokeWidth=2.5, color=colours.text).encode(x=alt.X("low:Q", axis=axis, scale=scale), x2="high:Q")
    ends = [
        base.mark_tick(thickness=2.5, size=16, color=colours.text).encode(x=alt.X(f"{end}:Q", axis=axis, scale=scale))
        for end in ("low", "high")
    ]
    return spec(alt.layer(bars, spans, *ends).properties(height=110))
