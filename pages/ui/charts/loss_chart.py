"""The loss of every training step."""

from __future__ import annotations

import altair as alt

from pages.ui.charts.css_colours import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, shades, tips
from pages.ui.i18n.translation import N_, _


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
