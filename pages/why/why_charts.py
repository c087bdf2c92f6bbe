"""Charts of why a token came: effects in both directions, attention heads, layers by tokens.

Blue raises the probability of the token, plum lowers it.
"""

from __future__ import annotations

import altair as alt

from pages.ui.charts.palette import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, tips
from pages.ui.i18n.translation import _

ROW = 28  # pixels
CELL = 26
GAPS = alt.Scale(paddingInner=0.12, paddingOuter=0.06)  # between fields, with room for the edge of the chosen one


@chart_spec(16)
def signed_bars(colours: Palette, rows: int, beside: bool = False) -> alt.TopLevelMixin:
    """One bar per part of a text or of a network, from 0 to its effect. beside: a thin grey bar with a second opinion below each.

    Columns: place, part, effect, second, label, tip.
    """
    room = alt.Scale(nice=False, padding=62)
    zero = alt.Axis(values=[0], labels=False, ticks=False, domain=False, gridColor=colours.muted_text, title=None)
    names = grey_axis(colours, labelFontSize=13, labelColor=colours.text, labelLimit=150, minExtent=110)
    base = CHART.encode(
        y=alt.Y("part:N", sort=alt.EncodingSortField("place", op="min", order="ascending"), axis=names), tooltip=tips(("tip", _("effect")))
    )
    shade = {"condition": {"test": "datum.effect < 0", "value": colours.other}, "value": colours.dice}
    up = -4 if beside else 0
    bars = base.mark_bar(height=13 if beside else 16, cornerRadius=2, yOffset=up).encode(
        x=alt.X("effect:Q", scale=room, axis=zero), color=shade
    )

    side = alt.ExprRef("datum.effect < 0 ? 'right' : 'left'")
    text = base.mark_text(align=side, dx=alt.ExprRef("datum.effect < 0 ? -6 : 6"), dy=up, fontSize=12, color=colours.muted_text)
    label = text.encode(x=alt.X("effect:Q", scale=room, axis=zero), text="label:N")
    second = base.mark_bar(height=4, color=colours.removed, yOffset=8).encode(x=alt.X("second:Q", scale=room, axis=zero))
    return alt.layer(*([second] if beside else []), bars, label).properties(height=ROW * rows)


def _diverging(colours: Palette) -> alt.Color:
    """Return the colour of a share of the largest effect: plum below 0, blue above."""
    scale = alt.Scale(domain=[-1, 0, 1], range=[colours.other, colours.line, colours.dice], interpolate="rgb", clamp=True)
    return alt.Color("share:Q", legend=None, scale=scale)


@chart_spec(16)
def head_heat(colours: Palette, layers: int) -> alt.TopLevelMixin:
    """One field per attention head, layers from top to bottom; a click picks it. Columns: layer, head, effect, share, name, tip, chosen.

    share: of the largest effect, -1 to 1.
    """
    pick = alt.selection_point(name="pick", fields=["layer", "head"], on="click", toggle=False, clear=False)
    base = CHART.encode(
        x=alt.X("head:O", scale=GAPS, axis=grey_axis(colours, _("head"), labelAngle=0, orient="top")),
        y=alt.Y("layer:O", scale=GAPS, axis=grey_axis(colours, _("layer"))),
    )
    edge = {"condition": {"test": "datum.chosen", "value": colours.text}, "value": "transparent"}
    cells = base.mark_rect(cornerRadius=3, strokeWidth=2, cursor="pointer").encode(
        color=_diverging(colours), stroke=edge, tooltip=tips(("name", _("head")), ("tip", _("effect")))
    )
    return alt.layer(cells.add_params(pick)).properties(height=max(120, CELL * layers))


@chart_spec(16)
def patch_heat(colours: Palette, layers: int) -> alt.TopLevelMixin:
    """One field per layer and token: how much of the first answer comes back; a click picks it.

    Columns: layer (text), column ("3|␣hot"), effect (0 to 1), share_text, tip, chosen.
    """
    pick = alt.selection_point(name="pick", fields=["row", "place"], on="click", toggle=False, clear=False)
    across = alt.X(
        "column:O",
        sort=None,
        scale=GAPS,
        axis=grey_axis(
            colours, orient="top", labelAngle=0, labelFontSize=13, labelColor=colours.text, labelExpr="split(datum.label, '|')[1]"
        ),
    )
    base = CHART.encode(x=across, y=alt.Y("layer:O", sort=None, scale=GAPS, axis=grey_axis(colours, _("layer"), minExtent=70)))
    scale = alt.Scale(domain=[0, 1], range=[colours.line, colours.dice], interpolate="rgb", clamp=True)
    edge = {"condition": {"test": "datum.chosen", "value": colours.text}, "value": "transparent"}
    cells = base.mark_rect(cornerRadius=3, strokeWidth=2).encode(color=alt.Color("effect:Q", legend=None, scale=scale), stroke=edge)
    ink = {"condition": {"test": "datum.effect > 0.55", "value": colours.on_dice}, "value": colours.text}
    numbers = base.mark_text(fontSize=11, tooltip=None).encode(text="share_text:N", color=ink)
    card = tips(("share_text", _("comes back")), ("tip", _("with the patch")))
    fields = base.mark_rect(opacity=0, cursor="pointer").encode(tooltip=card).add_params(pick)  # above the numbers, to take every click
    return alt.layer(cells, numbers, fields).properties(height=CELL * layers)
