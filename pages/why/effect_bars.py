"""What the parts of Why share: effects in bits, and bars in both directions."""

from __future__ import annotations

import math

import altair as alt
import streamlit as st

from pages.ui.charts.css_colours import LOWERS, RAISES, Palette, legend
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, tips
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _

BIT = math.log(2)  # nats
SMALL = 0.05  # bits; a smaller effect has no tint
ROW, CELL = 28, 26  # pixels
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
    shade = {"condition": {"test": "datum.effect < 0", "value": getattr(colours, LOWERS)}, "value": getattr(colours, RAISES)}
    up = -4 if beside else 0
    bars = base.mark_bar(height=13 if beside else 16, cornerRadius=2, yOffset=up).encode(
        x=alt.X("effect:Q", scale=room, axis=zero), color=shade
    )

    side = alt.ExprRef("datum.effect < 0 ? 'right' : 'left'")
    text = base.mark_text(align=side, dx=alt.ExprRef("datum.effect < 0 ? -6 : 6"), dy=up, fontSize=12, color=colours.muted_text)
    label = text.encode(x=alt.X("effect:Q", scale=room, axis=zero), text="label:N")
    second = base.mark_bar(height=4, color=colours.removed, yOffset=8).encode(x=alt.X("second:Q", scale=room, axis=zero))
    return alt.layer(*([second] if beside else []), bars, label).properties(height=ROW * rows)


def word_of(token: str, against: str = "") -> str:
    """Return a token as a word in a sentence: without the mark of its space, unless it is nothing else.

    against: the token that it is compared with: `cold, not warm`.
    """
    word = token.lstrip("␣") or token
    return _("{token}, not {other}").format(token=word, other=word_of(against)) if against else word


def draw_directions(target: str, against: str, usual: tuple[str, str], *more: tuple[str, str], shares: bool = True) -> None:
    """Draw the legend of both colours. usual: their meanings for a token alone. shares: say what a percentage of two tokens is."""
    speaks = _("speaks for “{token}”")
    raises, lowers = (speaks.format(token=word_of(token)) for token in (target, against)) if against else usual
    legend((RAISES, raises), (LOWERS, lowers), *more)
    if against and shares:
        st.caption(_("Every percentage is of these two tokens alone: together they have 100 %."))


def shortened(text: str, most: int = 24) -> str:
    """Return the text, or its start and its end."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-most // 2 + 1 :]}"


def signed_bits(nats: float) -> str:
    """Return an effect in bits with its sign."""
    bits = nats / BIT
    sign = "" if abs(bits) < SMALL else "+" if bits > 0 else "−"
    return sign + numbers.bits(abs(bits))
