"""The charts of the What if pages, authored once as constant specifications; see `charts`."""

from __future__ import annotations

from typing import Any

import altair as alt

from core.language import _, by_language
from pages.ui.charts import palette as palettes
from pages.ui.charts.charts import Spec, _percent_axis, _quiet, _spec


def _sides(colours: palettes.Palette) -> alt.Color:
    """Blue is the first branch, plum the other."""
    return alt.Color("side:N", legend=None, scale=alt.Scale(domain=["one", "other"], range=[colours.dice, colours.other]))


def _places(colours: palettes.Palette) -> alt.X:
    return alt.X("place:Q", axis=_quiet(colours, ticks=6, format="d", tickMinStep=1), scale=alt.Scale(nice=False, padding=6))


def _percent(colours: palettes.Palette) -> Any:
    axis = _percent_axis(colours, format="%", minExtent=38, maxExtent=38)
    return alt.Y("share:Q", axis=axis, scale=alt.Scale(domain=[0, 1], clamp=True))


@by_language(8)
def drift(theme: str, height: int = 130) -> Spec:
    """Dots from 0 to 1 over the words, those in a row joined; a mark at the foot for words without a counterpart.

    Columns: place, low, high, middle (all three empty without a counterpart), words, label, stretch (which row it belongs to), where.
    """
    colours = palettes.of(theme)
    axis = _percent_axis(colours, minExtent=38, maxExtent=38)
    scale = alt.Scale(domain=[0, 1], clamp=True)
    up = alt.Y("middle:Q", axis=axis, scale=scale)
    tips = [alt.Tooltip("where:N", title=_("place")), alt.Tooltip("words:N", title=_("they say")), alt.Tooltip("label:N", title=_("apart"))]
    base = alt.Chart().encode(x=_places(colours))
    there = base.transform_filter("isValid(datum.middle)")
    doubt = there.mark_rule(color=colours.doubt, opacity=0.25, strokeWidth=7).encode(y=alt.Y("low:Q", axis=axis, scale=scale), y2="high:Q")
    line = there.mark_line(color=colours.doubt, strokeWidth=2.5).encode(y=up, detail="stretch:N")
    dots = there.mark_circle(size=46, color=colours.doubt, opacity=1).encode(y=up, tooltip=tips)
    alone = (
        base.transform_filter("!isValid(datum.middle)")
        .mark_tick(orient="vertical", size=7, thickness=2, color=colours.removed)
        .encode(y=alt.datum(0, scale=scale), tooltip=tips)
    )
    return _spec(alt.layer(doubt, line, dots, alone).properties(height=height))


@by_language(8)
def likely(theme: str, height: int = 130) -> Spec:
    """Dots from 0 to 100 %, one per word and branch. Columns: place, side ("one", "other"), share, text, label."""
    colours = palettes.of(theme)
    dots = (
        alt.Chart()
        .mark_circle(size=60, opacity=0.85)
        .encode(
            x=_places(colours),
            y=_percent(colours),
            color=_sides(colours),
            tooltip=[
                alt.Tooltip("place:Q", title=_("word")),
                alt.Tooltip("text:N", title=_("it says")),
                alt.Tooltip("label:N", title=_("model")),
            ],
        )
    )
    return _spec(dots.properties(height=height))


@by_language(8)
def joint(theme: str, height: int = 130) -> Spec:
    """Two falling lines: the joint log-probability so far. Columns: place, side, log, together."""
    colours = palettes.of(theme)
    lines = (
        alt.Chart()
        .mark_line(strokeWidth=2.5, point=alt.OverlayMarkDef(size=26, filled=True))
        .encode(
            x=_places(colours),
            y=alt.Y("log:Q", axis=_quiet(colours, ticks=3), scale=alt.Scale(domainMax=0, nice=False)),
            color=_sides(colours),
            tooltip=[alt.Tooltip("place:Q", title=_("word")), alt.Tooltip("together:N", title=_("together"))],
        )
    )
    return _spec(lines.properties(height=height))


@by_language(8)
def chance(theme: str, height: int = 190) -> Spec:
    """Two lines from 0 to 100 %: the chance of the right answer before every word. Columns: place, side, share, text, label."""
    colours = palettes.of(theme)
    base = alt.Chart().encode(x=_places(colours), y=_percent(colours), color=_sides(colours))
    lines = base.mark_line(strokeWidth=2.5, interpolate="step-after")
    dots = base.mark_circle(size=30, opacity=1).encode(
        tooltip=[
            alt.Tooltip("place:Q", title=_("word")),
            alt.Tooltip("text:N", title=_("then it says")),
            alt.Tooltip("label:N", title=_("chance")),
        ]
    )
    return _spec(alt.layer(lines, dots).properties(height=height))


@by_language(8)
def right_answers(theme: str, height: int = 110) -> Spec:
    """Two bars with their intervals. Columns: side, row, share, low, high, label."""
    colours = palettes.of(theme)
    axis = _percent_axis(colours, 0, 0.25, 0.5, 0.75, 1, format="%")
    scale = alt.Scale(domain=[0, 1], clamp=True)
    base = alt.Chart().encode(y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.35)))
    bars = base.mark_bar(cornerRadius=4, opacity=0.85).encode(x=alt.X("share:Q", axis=axis, scale=scale), color=_sides(colours))
    spans = base.mark_rule(strokeWidth=2.5, color=colours.text).encode(x=alt.X("low:Q", axis=axis, scale=scale), x2="high:Q")
    ends = [
        base.mark_tick(thickness=2.5, size=16, color=colours.text).encode(x=alt.X(f"{end}:Q", axis=axis, scale=scale))
        for end in ("low", "high")
    ]
    return _spec(alt.layer(bars, spans, *ends).properties(height=height))
