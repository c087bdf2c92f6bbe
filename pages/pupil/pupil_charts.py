"""Charts of two models on the same text: the probabilities at one place, and the surprise along the text."""

from __future__ import annotations

from typing import Any

import altair as alt

from pages.ui.charts.palette import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, tips
from pages.ui.i18n.translation import _


@chart_spec(8)
def mirrored(colours: Palette, rows: int) -> alt.TopLevelMixin:
    """One token per row: its probability in one model left of its name, in the other model right. Orange: the chosen token.

    Columns: place, piece, left, right (0 to 1), left_label, right_label, chosen (bool).
    """
    across = alt.Scale(domain=[-1, 1], nice=False)
    middle = "(56 / max(240, width / 2))"  # share of the width for the names, on each side of the middle
    share = f"(1 - {middle}) / 1.3"  # scales the bars, so that the number of a bar of 100 % has room
    up = alt.Y("place:O", axis=None, scale=alt.Scale(paddingInner=0.25))
    places = {"l0": f"-{middle}", "l1": f"-{middle} - datum.left * {share}", "r0": middle, "r1": f"{middle} + datum.right * {share}"}
    base = CHART.transform_calculate(**places).encode(y=up)

    def bar(start: str, end: str, colour: str) -> Any:
        shade = {"condition": {"test": "datum.chosen", "value": colours.chosen}, "value": colour}
        return base.mark_bar(cornerRadius=3).encode(x=alt.X(f"{start}:Q", scale=across, axis=None), x2=f"{end}:Q", color=shade)

    def number(end: str, text: str, side: Any, dx: int) -> Any:
        label = base.mark_text(align=side, dx=dx, fontSize=12, color=colours.muted_text)
        return label.encode(x=alt.X(f"{end}:Q", scale=across, axis=None), text=f"{text}:N")

    ink = {"condition": {"test": "datum.chosen", "value": colours.chosen_text}, "value": colours.text}
    name = base.mark_text(fontSize=13.5, limit=110).encode(x=alt.datum(0, type="quantitative", scale=across), text="piece:N", color=ink)
    layers = (bar("l0", "l1", colours.dice), bar("r0", "r1", colours.other))
    numbers = (number("l1", "left_label", "right", -6), number("r1", "right_label", "left", 6))
    return alt.layer(*layers, *numbers, name).properties(height=27 * rows)


@chart_spec(8)
def two_surprises(colours: Palette) -> alt.TopLevelMixin:
    """Surprise along a text in bits: one model upwards, the other downwards. Columns: place, up, down (bits), tip."""
    axis = grey_axis(colours, tickCount=5, labelExpr=f"format(abs(datum.value), '~r') + ' {_('bits')}'", minExtent=52, maxExtent=52)
    across = alt.X("place:Q", scale=alt.Scale(nice=False, padding=6), axis=None)
    base = CHART.transform_calculate(under="-datum.down").encode(x=across, tooltip=tips(("tip", _("surprise"))))
    wide = alt.ExprRef("max(2, min(14, 0.7 * width / (1 + domain('x')[1] - domain('x')[0])))")
    above = base.mark_bar(color=colours.dice, size=wide).encode(y=alt.Y("up:Q", axis=axis))
    below = base.mark_bar(color=colours.other, size=wide).encode(y=alt.Y("under:Q", axis=axis))
    return alt.layer(above, below).properties(height=260)
