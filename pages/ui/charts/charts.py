"""The charts, each authored once in Altair as a constant specification and then only fed tables.

`draw(chart, table, key=...)` puts one on the page. A specification depends on the theme (and, for the odds, on the scale and the number of
rows), never on the step: Vega then swaps the data and does not embed the chart again.
"""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import altair as alt
import pandas as pd
import pyarrow as pa
import streamlit as st

from core.language import ENGLISH, _, by_language, current, marks
from pages.ui.charts import palette as palettes
from pages.ui.charts import spoken

Spec = dict[str, Any]
ROW = 26  # pixels for one candidate
_FLOOR = 0.0001  # where the logarithmic axis begins: 0.01 %
_LABELS = 132  # pixels for the tokens, left of the bars
_NUMBERS = 72  # pixels for the numbers, right of the longest bar


def draw(
    chart: Callable[..., Spec],
    table: pd.DataFrame | pa.Table,
    *,
    key: str,
    alt_text: str,
    on_select: Callable[[], None] | None = None,
    heard: bool = True,
    **options: Any,
) -> None:
    """Draw a chart of this module with this table.

    alt_text: what it shows, the same at every step: another would embed the chart anew. Its numbers are said behind it, for those who hear
    the page; heard=False where something else says them. on_select is called when a mark is clicked (charts with a `pick` only).
    """
    spec = chart(theme(), **options)
    if on_select is None:
        st.vega_lite_chart(table, spec, key=key, width="stretch", theme="streamlit", alt=alt_text)
    else:
        st.vega_lite_chart(
            table, spec, key=key, width="stretch", theme="streamlit", alt=alt_text, on_select=on_select, selection_mode="pick"
        )
    if heard:
        st.html(f'<div class="tv-screen-reader">{escape(spoken.numbers_of(table))}</div>')


def theme() -> str:
    """The visitor's theme, "light" or "dark"."""
    return "dark" if st.context.theme.type == "dark" else "light"


def colours() -> dict[str, str]:
    """Return the colours of the visitor's theme by name, for a component."""
    return palettes.as_data(palettes.of(theme()))


def _spec(chart: Any) -> Spec:
    """A chart as a plain specification without data, drawn as SVG so that it can be saved as such."""
    spec = _without_data(chart.to_dict())
    # What a chart shows is said by its alternative text, and its numbers behind it: a thousand marks with names of their own say nothing.
    spec["config"] = {"view": {"stroke": None}, "mark": {"aria": False}}
    if current() != ENGLISH:
        decimal, thousands = marks()
        spec["config"]["axis"] = {"aria": False}  # what Vega says of an axis by itself is English
        spec["config"]["locale"] = {"number": {"decimal": decimal, "thousands": thousands, "grouping": [3], "currency": ["", ""]}}
    spec["padding"] = {"left": 0, "right": 0, "top": 2, "bottom": 2}
    spec["usermeta"] = {"embedOptions": {"renderer": "svg"}}
    return spec


def _without_data(spec: Spec) -> Spec:
    """Altair writes an empty data source into every layer; ours come from the table that is sent along."""
    spec = {word: value for word, value in spec.items() if word not in ("$schema", "data", "datasets")}
    if "layer" in spec:
        spec["layer"] = [_without_data(layer) for layer in spec["layer"]]
    return spec


@by_language(64)
def distribution(theme: str, rows: int = 12, logarithmic: bool = False) -> Spec:
    """One row per candidate in order of rank: pale bar = what the model said, solid bar = what the dice use; a click picks the row.

    Columns: row, serial, step, token_id, space, label, model, dice, end, note, kind ("open", "chosen", "removed", "rest"), and for the card
    piece, model_text, dice_text, rank_text, logit_text, removed_by. Fixed axis from 0 to 100 %, or from 0.01 % to 100 % logarithmically.
    """
    colours = palettes.of(theme)
    kind = "datum.kind"
    scale: dict[str, Any] = {"rangeMin": _LABELS, "rangeMax": alt.ExprRef(f"width - {_NUMBERS}"), "nice": False}
    if logarithmic:
        axis_scale = alt.Scale(type="log", domain=[_FLOOR, 1], clamp=True, **scale)
        marks, base = [_FLOOR, 0.001, 0.01, 0.1, 1], _FLOOR
    else:
        axis_scale = alt.Scale(domain=[0, 1], clamp=True, **scale)
        marks, base = [0, 0.25, 0.5, 0.75, 1], 0.0
    axis = alt.Axis(
        orient="top",
        values=marks,
        labelExpr="format(datum.value * 100, '~r') + ' %'",
        grid=True,
        gridColor=colours.line,
        gridDash=[2, 3],
        domain=False,
        ticks=False,
        title=None,
        labelColor=colours.muted_text,
        labelFontSize=11,
        labelPadding=4,
        labelOverlap=False,
        labelFlush=False,
    )
    y = alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.28, paddingOuter=0.1))

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=axis_scale, axis=axis)

    rows_of = alt.Chart().encode(y=y)
    pick = alt.selection_point(name="pick", fields=["serial", "step", "token_id"], on="click", toggle=False, clear=False)
    hover = alt.selection_point(name="hover", fields=["row"], on="pointerover", clear="pointerout", empty=False)
    hit = (
        rows_of.properties(name="row")
        .mark_rect(color=colours.muted_text, cursor="pointer", cornerRadius=6)
        .encode(
            x=alt.value(0),
            x2=alt.value("width"),
            opacity=alt.condition(hover, alt.value(0.09), alt.value(0)),
            tooltip=[
                alt.Tooltip("piece:N", title=_("token")),
                alt.Tooltip("id_text:N", title=_("id")),
                alt.Tooltip("rank_text:N", title=_("rank")),
                alt.Tooltip("model_text:N", title=_("model")),
                alt.Tooltip("dice_text:N", title=_("dice")),
                alt.Tooltip("logit_text:N", title=_("logit")),
                alt.Tooltip("removed_by:N", title=_("cut by")),
            ],
        )
        .add_params(pick, hover)
    )
    solid = {"chosen": colours.chosen, "rest": colours.muted_text}
    pale = {"removed": colours.removed, "rest": colours.rest}
    words = {"chosen": colours.chosen_text, "removed": colours.muted_text, "rest": colours.muted_text}
    radius: dict[str, Any] = {"cornerRadius": 4, "tooltip": None}
    said = rows_of.mark_bar(height={"band": 1}, **radius).encode(
        x=x("model"), x2=alt.datum(base), color=_by_kind(kind, pale, colours.model)
    )
    used = rows_of.mark_bar(height={"band": 0.52}, **radius).encode(
        x=x("dice"), x2=alt.datum(base), color=_by_kind(kind, solid, colours.dice)
    )
    space = rows_of.mark_text(align="right", fontSize=13, color=colours.muted_text, opacity=0.6, baseline="middle").encode(
        x=alt.value(11), text="space:N"
    )
    label = rows_of.mark_text(align="left", baseline="middle", fontSize=14.5, limit=_LABELS - 24).encode(
        x=alt.value(14), text="label:N", color=_by_kind(kind, words, colours.text), opacity=alt.value(1)
    )
    number = rows_of.mark_text(align="left", baseline="middle", fontSize=13.5, dx=7).encode(
        x=x("end"), text="number:N", color=_by_kind(kind, words, colours.text)
    )
    note = rows_of.mark_text(align="right", baseline="middle", fontSize=12, color=colours.muted_text).encode(
        x=alt.value("width"), text="note:N"
    )
    layers = alt.layer(said, used, space, label, number, note, hit)
    return _spec(layers.properties(height=rows * ROW))


def _by_kind(field: str, colours: dict[str, str], otherwise: str) -> Any:
    """A colour for each kind of row."""
    conditions = [{"test": f"{field} === '{kind}'", "value": colour} for kind, colour in colours.items()]
    return {"condition": conditions, "value": otherwise} if conditions else alt.value(otherwise)


_ABOVE_ZERO = "datum.value ? datum.label : ''"  # an axis without data yet would say 0.000000 or NaN


def _quiet(colours: palettes.Palette, ticks: int = 3, **more: Any) -> alt.Axis:
    """The axis of a small chart: a few grey numbers and nothing else."""
    return alt.Axis(
        title=None,
        domain=False,
        ticks=False,
        grid=False,
        labelColor=colours.muted_text,
        labelFontSize=11,
        tickCount=ticks,
        labelOverlap=True,
        labelPadding=3,
        minExtent=34,
        maxExtent=34,
        **more,
    )


def _percent_axis(colours: palettes.Palette, *ticks: float, **more: Any) -> alt.Axis:
    """An axis of probabilities: dashed lines at 0, 50 and 100 %, or at these ticks."""
    return alt.Axis(
        values=list(ticks or (0, 0.5, 1)),
        title=None,
        domain=False,
        ticks=False,
        grid=True,
        gridColor=colours.line,
        gridDash=[2, 3],
        labelColor=colours.muted_text,
        labelFontSize=11,
        **more,
    )


def _steps_axis(colours: palettes.Palette) -> alt.X:
    """Steps from left to right, without an axis of their own."""
    return alt.X("slot:O", axis=None, scale=alt.Scale(type="band", paddingInner=0.18, paddingOuter=0))


@by_language(8)
def notepad(theme: str, height: int = 104) -> Spec:
    """One bar per step: positions reused from the cache below, newly computed ones on top; the first is the prefill.

    Columns: slot, bottom, top, part ("reused", "computed"), label, step_text, bytes_text, reused_text, computed_text.
    """
    colours = palettes.of(theme)
    base = alt.Chart().encode(x=_steps_axis(colours))
    bars = base.mark_bar(cornerRadius=1.5).encode(
        y=alt.Y(
            "bottom:Q", axis=_quiet(colours, format="~s", labelExpr=_ABOVE_ZERO), scale=alt.Scale(domainMin=0, nice=False, rangeMax=15)
        ),
        y2="top:Q",
        color=alt.Color("part:N", legend=None, scale=alt.Scale(domain=["reused", "computed"], range=[colours.reused, colours.computed])),
        tooltip=[
            alt.Tooltip("step_text:N", title=_("step")),
            alt.Tooltip("reused_text:N", title=_("reused")),
            alt.Tooltip("computed_text:N", title=_("computed")),
            alt.Tooltip("bytes_text:N", title=_("in use")),
        ],
    )
    named = base.mark_text(align="left", baseline="top", dx=-4, fontSize=11, color=colours.computed_text).encode(
        y=alt.value(0), text="label:N"
    )
    return _spec(alt.layer(bars, named).properties(height=height))


@by_language(8)
def step_time(theme: str, height: int = 66) -> Spec:
    """Milliseconds per step. Columns: slot, milliseconds, part ("reused" or "computed": a step or the prefill), step_text, time_text."""
    colours = palettes.of(theme)
    bars = (
        alt.Chart()
        .mark_bar(cornerRadius=1.5)
        .encode(
            x=_steps_axis(colours),
            y=alt.Y("milliseconds:Q", axis=_quiet(colours, ticks=2, format="~r", labelExpr=_ABOVE_ZERO), scale=alt.Scale(domainMin=0)),
            color=_by_kind("datum.part", {"computed": colours.computed}, colours.muted_text),
            opacity=alt.value(0.85),
            tooltip=[alt.Tooltip("step_text:N", title=_("step")), alt.Tooltip("time_text:N", title=_("time"))],
        )
    )
    return _spec(bars.properties(height=height))


@by_language(8)
def surprise(theme: str, height: int = 84) -> Spec:
    """How unsure the model was (a stair, since there is nothing between two steps) and how surprising the token that came (dots), bits.

    Columns: slot, zero, entropy, surprise, token, entropy_text, surprise_text.
    """
    colours = palettes.of(theme)
    base = alt.Chart().encode(x=_steps_axis(colours))
    scale = alt.Scale(domainMin=0, nice=True)
    tips = [
        alt.Tooltip("token:N", title=_("token")),
        alt.Tooltip("entropy_text:N", title=_("doubt")),
        alt.Tooltip("surprise_text:N", title=_("surprise")),
    ]
    places = base.mark_tick(opacity=0).encode(y=alt.Y("zero:Q", scale=scale))
    doubt = base.mark_area(interpolate="step", color=colours.doubt, opacity=0.22, line={"color": colours.doubt, "strokeWidth": 2}).encode(
        y=alt.Y("entropy:Q", axis=_quiet(colours, ticks=2, labelExpr=_ABOVE_ZERO), scale=scale)
    )
    dots = base.mark_circle(size=26, color=colours.text, opacity=0.75).encode(y=alt.Y("surprise:Q", scale=scale), tooltip=tips)
    return _spec(alt.layer(places, doubt, dots).properties(height=height))
