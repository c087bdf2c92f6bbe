"""Charts of “Teach it”: the loss, the predictions before and after, and their history as a heat map."""

from __future__ import annotations

import altair as alt

from pages.ui.charts.palette import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, shades, tips
from pages.ui.i18n.translation import N_, _

ROW = 30
CANDIDATES = 8


@chart_spec(16)
def loss(colours: Palette, unit: str = N_("nats per token"), height: int = 150) -> alt.TopLevelMixin:
    """The loss of every step, from 0: of the new text solid, of the old text pale. Columns: index, value, of ("new", "old"), tip."""
    base = CHART.encode(
        x=alt.X("index:Q", axis=grey_axis(colours, title=_("training steps"), tickMinStep=1, tickCount=6), scale=alt.Scale(nice=False)),
        y=alt.Y("value:Q", axis=grey_axis(colours, title=_(unit), tickCount=4, minExtent=40, maxExtent=40), scale=alt.Scale(domainMin=0)),
        color=shades("of", {"new": colours.dice, "old": colours.model}),
    )
    dots = base.mark_point(filled=True, size=30).encode(tooltip=tips(("tip", _("loss"))))
    return alt.layer(base.mark_line(strokeWidth=2, interpolate="linear"), dots).properties(height=height)


@chart_spec(16)
def before_and_after(colours: Palette, rows: int = CANDIDATES) -> alt.TopLevelMixin:
    """A row per token: pale = before fine-tuning, solid = at the chosen step, from 0 to 100 %.

    Columns: row, label, before, now, number, tip.
    """
    y = alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.3, paddingOuter=0.1))
    scale = alt.Scale(domain=[0, 1], clamp=True, nice=False, rangeMin=120, rangeMax=alt.ExprRef("width - 64"))
    axis = grey_axis(colours, title=None, values=[0, 0.5, 1], labelExpr="format(datum.value * 100, '~r') + ' %'", orient="top")

    def bar(field: str, color: str, size: float) -> alt.Chart:
        return CHART.mark_bar(color=color, cornerRadius=3, height={"band": size}).encode(
            y=y, x=alt.X(f"{field}:Q", scale=scale, axis=axis), x2=alt.value(120), tooltip=tips(("tip", _("token")))
        )

    base = CHART.encode(y=y)
    names = base.mark_text(align="right", fontSize=14, color=colours.text, limit=112, tooltip=None).encode(text="label:N", x=alt.value(112))
    shares = base.mark_text(align="left", fontSize=13, color=colours.text, dx=6, tooltip=None).encode(
        text="number:N", x=alt.value(alt.ExprRef("width - 60"))
    )
    layers = alt.layer(bar("before", colours.model, 1.0), bar("now", colours.dice, 0.55), names, shares)
    return layers.properties(height=rows * ROW + 24)


@chart_spec(16)
def history(colours: Palette) -> alt.TopLevelMixin:
    """Steps x tokens, tinted by probability; a click picks the step. Columns: index, row, label, share, tip."""
    pick = alt.selection_point(name="pick", fields=["index", "serial"], on="click", toggle=False, clear=False)
    fields = (
        CHART.mark_rect(color=colours.dice, cornerRadius=2, cursor="pointer")
        .encode(
            x=alt.X(
                "index:O",
                axis=grey_axis(colours, title=_("after this many steps"), labelAngle=0, labelOverlap=True),
                scale=alt.Scale(paddingInner=0.06),
            ),
            y=alt.Y(
                "label:N",
                sort=alt.EncodingSortField("row", order="ascending"),
                axis=grey_axis(colours, title=None, minExtent=96, maxExtent=96, labelLimit=92, labelFontSize=13),
                scale=alt.Scale(paddingInner=0.1),
            ),
            opacity=alt.Opacity("share:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.05, 1])),
            stroke=alt.condition("datum.picked", alt.value(colours.text), alt.value("transparent")),
            tooltip=tips(("tip", _("at this step"))),
        )
        .add_params(pick)
    )
    return alt.layer(fields).properties(height=CANDIDATES * 24 + 30)
