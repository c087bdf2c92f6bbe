"""Charts of “Is it marked?”: how rare a score is as the text grows or is attacked, and the scores of many texts."""

from __future__ import annotations

from typing import Any

import altair as alt

from core.experiments.watermark import HUMAN, MARKED, UNMARKED
from pages.ui.charts.palette import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, shades, tips
from pages.ui.i18n.translation import _

RAREST = 15  # powers of ten; rarer scores are drawn here
USUAL = 9  # end of the axis for scores that are not rarer
LOWEST, WIDEST = -5, 24  # z of the first and of the last bar
INKS = {MARKED: "dice", UNMARKED: "muted_text", HUMAN: "other"}


def _side(colours: Palette) -> alt.Color:
    return shades("side", {side: getattr(colours, ink) for side, ink in INKS.items()})


@chart_spec(8)
def rarity(colours: Palette, across: str, right: int, top: int) -> alt.TopLevelMixin:
    """Lines of how rare a score is by chance, and where a text is called marked. Columns: place, power (of ten), side, tip."""
    words = f"datum.value == 3 ? '{_('1 in 1,000')}' : datum.value == 6 ? '{_('1 in a million')}' : datum.value ? '' : '{_('usual')}'"
    grid: dict[str, Any] = {"grid": True, "gridColor": colours.muted_text, "gridDash": [3, 3], "labelOverlap": False}
    axis = grey_axis(colours, values=[0, 3, 6], labelExpr=words, minExtent=84, maxExtent=84, **grid)
    up = alt.Y("power:Q", scale=alt.Scale(domain=[0, top], clamp=True, nice=False), axis=axis)
    numbered = grey_axis(colours, across, tickCount=6, tickMinStep=1)
    x = alt.X("place:Q", scale=alt.Scale(domain=[0, max(1, right)], nice=False), axis=numbered)
    lines = CHART.mark_line(strokeWidth=2.2, interpolate="step-after").encode(x=x, y=up, color=_side(colours))
    dots = CHART.mark_point(filled=True, size=160, opacity=0).encode(x=x, y=up, tooltip=tips(("tip", _("score"))))
    return alt.layer(lines, dots).properties(height=190)


@chart_spec(8)
def scores(colours: Palette) -> alt.TopLevelMixin:
    """The scores of many texts, one band of bars for each kind of text. Columns: left, right (z), bottom, top, side, tip."""
    x = alt.X("left:Q", scale=alt.Scale(domain=[LOWEST, WIDEST + 1], nice=False), axis=grey_axis(colours, "z", tickCount=10))
    y = alt.Y("bottom:Q", axis=None, scale=alt.Scale(domain=[0, 3], nice=False))
    bars = CHART.mark_rect().encode(x=x, x2="right:Q", y=y, y2="top:Q", color=_side(colours), tooltip=tips(("tip", _("score"))))
    line = CHART.mark_rule(strokeDash=[3, 3], color=colours.muted_text).encode(x=alt.datum(3.09))
    return alt.layer(bars, line).properties(height=180)
