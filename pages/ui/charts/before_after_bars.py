"""Two bars for each token: its probability before and after a change, for example in full precision and quantized."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from pages.ui.charts.css_colours import AFTER, BEFORE, Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, percent_axis
from pages.ui.i18n import numbers


@chart_spec(8)
def before_after(colours: Palette, rows: int) -> alt.TopLevelMixin:
    """Two bars per token from 0 to the largest: before a change, and narrow after it. Columns: place, piece, full, rounded, end, label."""
    scale = alt.Scale(domainMin=0, nice=True, rangeMax=alt.ExprRef("width - 110"))
    axis = percent_axis(colours, orient="top", format="~%", values=alt.Undefined, tickCount=3)
    names = grey_axis(colours, labelFontSize=13, labelColor=colours.text, labelLimit=120, minExtent=110)
    base = CHART.encode(y=alt.Y("piece:N", sort=alt.SortField("place"), axis=names))

    def x(field: str) -> alt.X:
        return alt.X(f"{field}:Q", scale=scale, axis=axis)

    full = base.mark_bar(height=17, color=getattr(colours, BEFORE), cornerRadius=2).encode(x=x("full"))
    rounded = base.mark_bar(height=7, color=getattr(colours, AFTER), cornerRadius=2).encode(x=x("rounded"))
    label = base.mark_text(align="left", dx=6, fontSize=12, color=colours.muted_text).encode(x=x("end"), text="label:N")
    return alt.layer(full, rounded, label).properties(height=28 * rows)


def before_after_rows(tokens: Sequence[str], before: Sequence[float], after: Sequence[float]) -> pd.DataFrame:
    """Return tokens with two probabilities. Columns: see `before_after`."""
    return pd.DataFrame(
        [
            {"place": row, "piece": token, "full": first, "rounded": second, "end": max(first, second)}
            | {"label": f"{numbers.percent(first)} · {numbers.percent(second)}"}
            for row, (token, first, second) in enumerate(zip(tokens, before, after, strict=True))
        ]
    )
