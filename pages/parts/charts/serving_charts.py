"""The charts of the pages about serving: constant specifications in the manner of `charts`, fed tables only."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import altair as alt

from pages.parts.charts import charts
from pages.parts.charts.charts import Spec
from pages.parts.charts.cost_charts import _axis, _tips
from pages.parts.layout import palette as palettes


@lru_cache(maxsize=16)
def batch_curve(theme: str, column: str, unit: str, ceiling: bool = False, height: int = 210) -> Spec:
    """What `column` is at each batch size, measured; dashed, the computed ceiling. Columns: size, `column`, ceiling, label, tip."""
    colours = palettes.of(theme)
    across = alt.X(
        "size:Q",
        scale=alt.Scale(type="log", base=2, nice=False, padding=16),
        axis=_axis(colours, "readers in one pass", values=[1, 2, 4, 8, 16, 32, 64], format="d"),
    )
    axis = _axis(colours, tickCount=4, labelExpr=f"datum.value ? datum.label + ' {unit}' : '0'", format="~s", minExtent=56, maxExtent=56)
    up = alt.Y(f"{column}:Q", scale=alt.Scale(zero=True), axis=axis)
    base = alt.Chart().encode(x=across)
    layers: list[Any] = []
    if ceiling:
        layers.append(base.mark_line(strokeWidth=1.5, strokeDash=[4, 4], color=colours.muted_text).encode(y=alt.Y("ceiling:Q", axis=axis)))
    layers.append(base.mark_line(strokeWidth=2.5, color=colours.dice).encode(y=up))
    layers.append(base.mark_point(filled=True, size=60, opacity=1, color=colours.dice).encode(y=up, tooltip=_tips(("tip", "measured"))))
    layers.append(base.mark_text(baseline="bottom", dy=-9, fontSize=12, color=colours.text).encode(y=up, text="label:N"))
    return charts._spec(alt.layer(*layers).properties(height=height))
