"""Chart of the tokens per pass by draft length."""

from __future__ import annotations

import altair as alt

from pages.ui.charts.palette import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis
from pages.ui.i18n.translation import _


@chart_spec(8)
def speculation_curve(colours: Palette) -> alt.TopLevelMixin:
    """Tokens per pass by draft length: computed line, measured dot. Columns: guesses, expected, measured (one), label."""
    across = alt.X("guesses:Q", scale=alt.Scale(nice=False), axis=grey_axis(colours, _("draft tokens (K)"), tickMinStep=1, format="d"))
    axis = grey_axis(colours, tickCount=4, minExtent=40, maxExtent=40)
    up = alt.Y("expected:Q", scale=alt.Scale(domainMin=0), axis=axis)
    base = CHART.encode(x=across)
    line = base.mark_line(strokeWidth=1.5, strokeDash=[4, 4], color=colours.muted_text).encode(y=up)
    measured = base.transform_filter("isValid(datum.measured)")
    dot = measured.mark_point(filled=True, size=80, opacity=1, color=colours.dice).encode(y=alt.Y("measured:Q", axis=axis))
    name = measured.mark_text(align="left", dx=9, fontSize=13, fontWeight=600, color=colours.text).encode(y="measured:Q", text="label:N")
    return alt.layer(line, dot, name).properties(height=190)
