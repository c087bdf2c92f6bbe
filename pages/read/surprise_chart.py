"""The chart of “Read a text”: the surprise of each token."""

import altair as alt

from pages.ui.charts.css_colours import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, tips
from pages.ui.i18n.translation import _

MOST_BITS = 18  # top of the axis, the same for every text, so that two texts can be compared


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
