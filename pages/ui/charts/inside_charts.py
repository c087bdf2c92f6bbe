"""Charts of “Inside one step”, “Growing up” and “Read a text”.

Grey to black shows the inside of the model, blue probability, orange the chosen token.
"""

from __future__ import annotations

from typing import Any

import altair as alt

from pages.ui.charts import inside_rows
from pages.ui.charts.palette import Palette
from pages.ui.charts.parts import CHART, by_kind, chart_spec, grey_axis, percent_axis, shades, tips
from pages.ui.i18n.translation import N_, _

MOST_BITS = 18  # top of the axis, the same for every text, so that two texts can be compared
LAYER = 27  # pixels for one row of layers
HEAT_ROW = 20
HEAT_PALEST, HEAT_DARKEST = 0.04, 0.85
FEET = 62  # pixels for the slanted tokens below
STAGE_ROW = 22
LENS_AND_REST = (0.67, 0.33)  # shares of the width; the numbers then fit on a screen of 1280 pixels
LENS_TIPS = (("logit_text", N_("logit")), ("doubt", N_("entropy of the layer")))


def _layers(colours: Palette, height: int) -> alt.Y:
    """Return the layers from top to bottom, by name, in the uppermost `height` pixels."""
    axis = grey_axis(colours, labelFontSize=12, labelPadding=8, labelOverlap=False, minExtent=52, maxExtent=52)
    scale = alt.Scale(paddingInner=0.12, paddingOuter=0, range=[0, height - 3])
    return alt.Y("name:N", axis=axis, sort=alt.SortField("layer", "ascending"), scale=scale)


@chart_spec(16)
def logit_lens(colours: Palette, layers: int, guesses: int, more: tuple[tuple[str, str], ...] = LENS_TIPS) -> alt.TopLevelMixin:
    """Layers (or checkpoints) x likeliest tokens, tinted by probability. Columns: see `inside_rows`; `more`: columns of the card."""
    base = CHART.encode(
        x=alt.X("place:O", axis=None, scale=alt.Scale(domain=list(range(guesses)), paddingInner=0.04, paddingOuter=0)),
        y=_layers(colours, layers * LAYER),
    )
    fields = base.mark_rect(cornerRadius=5, color=colours.dice).encode(
        opacity=alt.Opacity("share:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.07, 1])),
        tooltip=tips(("piece", _("token")), ("share_text", _("probability")), *((column, _(title)) for column, title in more)),
    )
    bright = {"condition": {"test": "datum.share > 0.7", "value": colours.on_dice}, "value": colours.text}
    edge, room = alt.ExprRef(f"8 - width / {2 * guesses}"), alt.ExprRef(f"width / {guesses} - 14")

    def words(kind: str, weight: Any) -> alt.Chart:
        text = base.transform_filter(f"datum.kind === '{kind}'").mark_text(
            align="left", dx=edge, fontSize=13.5, fontWeight=weight, limit=room, tooltip=None
        )
        return text.encode(text="label:N", color=bright)

    share = base.mark_text(
        align="right",
        dx=alt.ExprRef(f"width / {2 * guesses} - 8"),
        fontSize=11,
        opacity=alt.ExprRef(f"width / {guesses} < 88 ? 0 : 0.85"),
        tooltip=None,
    ).encode(text="shown:N", color=bright)
    return alt.layer(fields, words("", "normal"), words("followed", "bold"), share).properties(height=layers * LAYER)


@chart_spec(16)
def token_by_layer(colours: Palette, layers: int) -> alt.TopLevelMixin:
    """One token's probability after every layer, with its rank. Columns: see `inside_rows.token_by_layer_rows`."""
    base = CHART.encode(y=_layers(colours, layers * LAYER))
    scale = alt.Scale(domain=[0, 1], rangeMin=0, rangeMax=alt.ExprRef("width - 118"), nice=False)
    x = alt.X("share:Q", scale=scale, axis=None)
    bars = base.mark_bar(height={"band": 0.62}, cornerRadius=4, tooltip=None).encode(
        x=x, x2=alt.datum(0), color=by_kind("datum.kind", {"taken": colours.chosen}, colours.dice)
    )
    number = base.mark_text(align="left", dx=8, fontSize=12.5, color=colours.text, tooltip=None).encode(x=x, text="text:N")
    return alt.layer(bars, number).properties(height=layers * LAYER)


def heat_opacity(depth: float) -> float:
    """Return the opacity of a field of this depth, 0 to 1, for the legend."""
    return HEAT_PALEST + (HEAT_DARKEST - HEAT_PALEST) * depth


@chart_spec(16)
def attention(colours: Palette, layers: int) -> alt.TopLevelMixin:
    """Layers x tokens, the darker the more attention (see `heat_opacity`). Columns: see `inside_rows.attention_rows`."""
    x = alt.X("slot:O", axis=None, scale=alt.Scale(paddingInner=0.08, paddingOuter=0.06))  # without it, the edge cuts the last field
    fields = CHART.mark_rect(cornerRadius=3, color=colours.text).encode(
        x=x,
        y=_layers(colours, layers * HEAT_ROW),
        opacity=alt.Opacity("depth:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[HEAT_PALEST, HEAT_DARKEST])),
        tooltip=tips(("piece", _("token")), ("name", _("layer")), ("share_text", _("of the attention"))),
    )
    names = CHART.mark_text(
        angle=305, align="right", baseline="middle", fontSize=12, color=colours.text, tooltip=None, dx=-4, limit=72
    ).encode(x=x, y=alt.value(layers * HEAT_ROW + 8), text="foot:N")
    return alt.layer(fields, names).properties(height=layers * HEAT_ROW + FEET)


@chart_spec(8)
def loss(colours: Palette) -> alt.TopLevelMixin:
    """The loss at the checkpoints of a training, from 0: dots joined by straight lines. Columns: see `inside_rows.loss_rows`."""
    base = CHART.encode(
        x=alt.X(
            "name:O",
            sort=alt.SortField("slot", "ascending"),
            axis=grey_axis(colours, labelAngle=0),
            scale=alt.Scale(type="point", padding=0.4),
        ),
        y=alt.Y("loss:Q", axis=grey_axis(colours, tickCount=4), scale=alt.Scale(domainMin=0)),
        color=shades("kind", {inside_rows.TRAINED: colours.dice, inside_rows.HELD_OUT: colours.other}),
    )
    lines = base.mark_line(strokeWidth=1.5, opacity=0.55, interpolate="linear", tooltip=None)
    dots = base.mark_circle(size=55, opacity=1).encode(
        tooltip=tips(("loss_text", _("loss")), ("on", _("measured on")), ("read", _("after")))
    )
    return alt.layer(lines, dots).properties(height=150)


@chart_spec(8)
def vector(colours: Palette, rows: int) -> alt.TopLevelMixin:
    """A vector as fields, low to high. Columns: see `inside_rows.vector_rows`."""
    fields = CHART.mark_rect(color=colours.text, stroke=None).encode(
        x=alt.X("column:O", axis=None, scale=alt.Scale(padding=0)),
        y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.12, paddingOuter=0)),
        opacity=alt.Opacity("depth:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.02, 0.92])),
        tooltip=tips(("place_text", _("number")), ("value_text", _("value"))),
    )
    return fields.properties(height=max(34, min(rows * 18, 320)))


@chart_spec(8)
def neighbours(colours: Palette, rows: int) -> alt.TopLevelMixin:
    """The nearest tokens, cosine from 0 to 1. Columns: see `inside_rows.neighbour_rows`."""
    scale = alt.Scale(domain=[0, 1], rangeMin=110, rangeMax=alt.ExprRef("width - 44"), nice=False)
    base = CHART.encode(y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.3, paddingOuter=0)))
    x = alt.X("cosine:Q", scale=scale, axis=None)
    bars = base.mark_bar(color=colours.muted_text, opacity=0.55, cornerRadius=4).encode(
        x=x, x2=alt.datum(0), tooltip=tips(("piece", _("token")), ("text", _("cosine")))
    )
    names = base.mark_text(align="left", fontSize=14, limit=100, color=colours.text, tooltip=None).encode(x=alt.value(0), text="label:N")
    number = base.mark_text(align="left", dx=7, fontSize=12.5, color=colours.muted_text, tooltip=None).encode(x=x, text="text:N")
    return alt.layer(bars, names, number).properties(height=rows * 25)


@chart_spec(8)
def embedding_map(colours: Palette) -> alt.TopLevelMixin:
    """Tokens on a plane. Columns: see `inside_rows.embedding_map_rows`."""
    scale = alt.Scale(domain=[-1.08, 1.08], nice=False)
    base = CHART.encode(x=alt.X("x:Q", axis=None, scale=scale), y=alt.Y("y:Q", axis=None, scale=scale))
    inks = {"picked": colours.dice_text, "text": colours.dice_text}
    dots = base.mark_circle(opacity=1).encode(
        size=by_kind("datum.kind", {"picked": 150, "text": 60}, 26),
        color=by_kind("datum.kind", inks, colours.removed),
        tooltip=tips(("piece", _("token"))),
    )
    names = [
        base.transform_filter(f"datum.kind === '{kind}'")
        .mark_text(align="left", dx=dx, fontSize=size, fontWeight=weight, color=colour, tooltip=None)  # type: ignore[arg-type]
        .encode(text="label:N")
        for kind, dx, size, weight, colour in (
            ("familiar", 6, 11.5, "normal", colours.muted_text),
            ("text", 7, 13.5, "normal", colours.dice_text),
            ("picked", 10, 15, "bold", colours.dice_text),
        )
    ]
    return alt.layer(names[0], dots, *names[1:]).properties(height=420)


@chart_spec(8)
def stage(colours: Palette, rows: int) -> alt.TopLevelMixin:
    """A sampling stage: pale before, deep after, 0 to 100 %. Columns: see `sampling_rows.stage_rows`."""
    scale = alt.Scale(domain=[0, 1], clamp=True, rangeMin=78, rangeMax=alt.ExprRef("width - 50"), nice=False)
    axis = percent_axis(colours, labels=False)
    base = CHART.encode(y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.26, paddingOuter=0.08)))
    pale, deep = {"removed": colours.removed, "rest": colours.rest}, {"taken": colours.chosen, "rest": colours.muted_text}
    ink = {"removed": colours.muted_text, "rest": colours.muted_text, "taken": colours.chosen_text}
    hit = base.mark_rect(color=colours.muted_text, opacity=0.001).encode(
        x=alt.value(0), x2=alt.value("width"), tooltip=tips(("piece", _("token")), ("arithmetic", _("computed")))
    )
    was = base.mark_bar(height={"band": 1}, cornerRadius=3, tooltip=None).encode(
        x=alt.X("before:Q", scale=scale, axis=axis), x2=alt.datum(0), color=by_kind("datum.kind", pale, colours.model)
    )
    now = base.mark_bar(height={"band": 0.5}, cornerRadius=3, tooltip=None).encode(
        x=alt.X("after:Q", scale=scale, axis=axis), x2=alt.datum(0), color=by_kind("datum.kind", deep, colours.dice)
    )
    names = base.mark_text(align="left", fontSize=13, limit=72, tooltip=None).encode(
        x=alt.value(0), text="label:N", color=by_kind("datum.kind", ink, colours.text)
    )
    number = base.mark_text(align="right", fontSize=12, tooltip=None).encode(
        x=alt.value("width"), text="number:N", color=by_kind("datum.kind", ink, colours.text)
    )
    return alt.layer(was, now, names, number, hit).properties(height=rows * STAGE_ROW)


@chart_spec(8)
def tally(colours: Palette, rows: int) -> alt.TopLevelMixin:
    """Probability (wide bar), observed share (narrow bar) and usual range (rule) of each token. Columns: see `roll_tally.tally_rows`."""
    scale = alt.Scale(domain=[0, 1], clamp=True, rangeMin=110, rangeMax=alt.ExprRef("width - 150"), nice=False)
    axis = percent_axis(colours, labels=False)
    base = CHART.encode(y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.2, paddingOuter=0.1)))
    fills, inks = {"taken": colours.chosen, "rest": colours.rest}, {"taken": colours.chosen_text, "rest": colours.muted_text}

    def bar(end: str, size: float, shift: float, colour: Any) -> alt.Chart:
        bars = base.mark_bar(height={"band": size}, yOffset=shift, cornerRadius=3, tooltip=None)
        return bars.encode(x=alt.X(f"{end}:Q", scale=scale, axis=axis), x2=alt.datum(0), color=colour)

    luck = base.mark_rule(strokeWidth=2, yOffset=7, color=colours.muted_text, tooltip=None).encode(
        x=alt.X("low:Q", scale=scale, axis=axis), x2="high:Q"
    )
    ink = by_kind("datum.kind", inks, colours.text)
    names = base.mark_text(align="left", fontSize=14, limit=104, tooltip=None).encode(x=alt.value(0), text="label:N", color=ink)
    number = base.mark_text(align="right", fontSize=13, tooltip=None).encode(x=alt.value("width"), text="number:N", color=ink)
    expected = bar("expected", 0.55, -4, by_kind("datum.kind", fills, colours.dice))
    return alt.layer(expected, bar("seen", 0.28, 7, alt.value(colours.text)), luck, names, number).properties(height=rows * 28)


@chart_spec(8)
def rolls(colours: Palette) -> alt.TopLevelMixin:
    """A mark for each roll, from 0 to 1. Columns: roll."""
    x = alt.X("roll:Q", axis=None, scale=alt.Scale(domain=[0, 1], nice=False))
    return CHART.mark_tick(color=colours.text, opacity=0.35, thickness=1.5, height=16).encode(x=x).properties(height=18)


@chart_spec(8)
def curve(colours: Palette) -> alt.TopLevelMixin:
    """Surprise along a text in bits. Bars above MOST_BITS end there, with an arrow.

    Columns: position, surprise, piece, surprise_text, share_text, depth (0 to 1), cut (an arrow or "").
    """
    axis = grey_axis(colours, values=[0, 6, 12, MOST_BITS])
    x = alt.X("position:O", axis=None, scale=alt.Scale(paddingInner=0.14, paddingOuter=0))
    bars = CHART.mark_bar(cornerRadius=1.5, color=colours.doubt).encode(
        x=x,
        y=alt.Y("surprise:Q", axis=axis, scale=alt.Scale(domain=[0, MOST_BITS], clamp=True)),
        opacity=alt.Opacity("depth:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.35, 1])),
        tooltip=tips(("piece", _("token")), ("surprise_text", _("surprise")), ("share_text", _("probability"))),
    )
    arrows = CHART.mark_text(baseline="top", dy=-13, fontSize=12, color=colours.text, tooltip=None).encode(
        x=x, y=alt.value(0), text="cut:N"
    )
    return alt.layer(bars, arrows).properties(height=120)
