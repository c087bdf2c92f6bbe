"""Chart of the damage by part of the model."""

from __future__ import annotations

import altair as alt

from pages.ui.charts.palette import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, tips
from pages.ui.i18n.translation import _


@chart_spec(8)
def part_heat(colours: Palette, layers: int) -> alt.TopLevelMixin:
    """Parts of the model by layer; stronger = more divergence. Columns: layer, part, damage, tip."""
    cells = CHART.mark_rect(cornerRadius=2, stroke=colours.page, strokeWidth=2).encode(
        x=alt.X("layer:O", sort=None, axis=grey_axis(colours, _("layer"), labelAngle=0)),
        y=alt.Y("part:N", sort=None, axis=grey_axis(colours, minExtent=90)),
        color=alt.Color(
            "damage:Q", legend=None, scale=alt.Scale(type="sqrt", range=[colours.line, colours.dice], domainMin=0, interpolate="rgb")
        ),
        tooltip=tips(("tip", _("divergence"))),
    )
    return alt.layer(cells).properties(height=132)
