"""The picture of a step that a visitor saves: a row for each candidate, with its probability before and after the settings.

Which candidates have a row is decided in `core/record/step_rows.py`.
"""

from __future__ import annotations

from typing import Any

import altair as alt

from pages.ui.charts.css_colours import Palette
from pages.ui.charts.parts import CHART, by_kind, chart_spec, percent_axis

ROW = 26  # pixels per candidate
_FLOOR = 0.0001  # start of the logarithmic axis: 0.01 %
_START = "(width > 480 ? 224 : 186)"  # pixels for the tokens and the numbers, left of the bars
_LABEL = 100  # pixels for a token


@chart_spec(64)
def distribution(colours: Palette, rows: int = 12, logarithmic: bool = False) -> alt.TopLevelMixin:
    """One row per candidate: pale bar = model's probability, solid bar = after the settings.

    The number stands between token and bars, because at the end of one bar it would be read with the other one when that is longer.
    Columns: row, space, label, model, dice, number, note, kind ("open", "chosen", "removed", "rest"). Fixed axis from 0 to 100 %, or
    logarithmic from 0.01 to 100 %.
    """
    ticks = (_FLOOR, 0.001, 0.01, 0.1, 1) if logarithmic else (0, 0.25, 0.5, 0.75, 1)
    start = _FLOOR if logarithmic else 0.0
    shape: dict[str, Any] = {"type": "log"} if logarithmic else {}
    width = alt.ExprRef("width - 18")  # the last number of the axis ends at the edge
    scale = alt.Scale(domain=[start, 1], clamp=True, rangeMin=alt.ExprRef(_START), rangeMax=width, nice=False, **shape)
    percent = "format(datum.value * 100, '~r') + ' %'"
    axis = percent_axis(colours, *ticks, orient="top", labelExpr=percent, labelFlush=False)
    base = CHART.encode(y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.28, paddingOuter=0.1)))

    def bar(field: str, size: float, fills: dict[str, str], usual: str) -> alt.Chart:
        bars = base.mark_bar(height={"band": size}, cornerRadius=4, tooltip=None)
        x = alt.X(f"{field}:Q", scale=scale, axis=axis)
        return bars.encode(x=x, x2=alt.datum(start), color=by_kind("datum.kind", fills, usual))

    inks = {"chosen": colours.chosen_text, "removed": colours.muted_text, "rest": colours.muted_text}
    ink = by_kind("datum.kind", inks, colours.text)
    space = base.mark_text(align="right", fontSize=13, color=colours.muted_text, opacity=0.6, baseline="middle")
    label = base.mark_text(align="left", baseline="middle", fontSize=14.5, limit=_LABEL)
    number = base.mark_text(align="right", baseline="middle", fontSize=13.5)
    beside = alt.ExprRef(f"width - {_START}")  # pixels; a longer note would be written over the numbers
    note = base.mark_text(align="right", baseline="middle", fontSize=12, color=colours.muted_text, limit=beside)
    layers = (
        bar("model", 1, {"removed": colours.removed, "rest": colours.rest}, colours.model),
        bar("dice", 0.52, {"chosen": colours.chosen, "rest": colours.muted_text}, colours.dice),
        space.encode(x=alt.value(11), text="space:N"),
        label.encode(x=alt.value(14), text="label:N", color=ink, opacity=alt.value(1)),
        number.encode(x=alt.value(alt.ExprRef(f"{_START} - 10")), text="number:N", color=ink),
        note.encode(x=alt.value("width"), text="note:N"),
    )
    return alt.layer(*layers).properties(height=rows * ROW)
