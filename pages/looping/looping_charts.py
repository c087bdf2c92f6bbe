"""The charts of “Why does it loop?”: the tokens of each copy, and the share of texts that loop."""

from __future__ import annotations

from collections.abc import Sequence

import altair as alt
import pandas as pd

from core.experiments.looping import Looping, LoopingRuns
from pages.ui.charts.css_colours import Palette
from pages.ui.charts.layer_charts import label
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, shares_up, tips, two_sides
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _

MOST_LABELS = 26  # tokens that have room below the chart
HEIGHT, FEET = 180, 46  # pixels of the lines, and for the slanted tokens


def copy_rows(result: Looping) -> pd.DataFrame:
    """Return a row for each token of each copy. Columns: place, copy, depth (0 to 1, of the copies), share, piece, share_text, copy_text,
    label (of the last copy alone)."""
    last = len(result.shares) - 1
    return pd.DataFrame(
        [
            {
                "place": index,
                "copy": copy,
                "depth": copy / max(1, last),
                "share": share,
                "piece": piece,
                "share_text": numbers.percent(share),
                "copy_text": _("copy {number}").format(number=numbers.whole(copy + 1)),
                "label": label(piece) if copy == last and result.period <= MOST_LABELS else "",
            }
            for copy, shares in enumerate(result.shares)
            for index, (piece, share) in enumerate(zip(result.pieces, shares, strict=True))
        ]
    )


def run_rows(observations: Sequence[LoopingRuns]) -> pd.DataFrame:
    """Return a row for each model and temperature. Columns: temperature, side ("one", "other": the second model), share, low, high, tip."""
    newest = {(runs.model, runs.temperature): runs for runs in observations}
    models = list(dict.fromkeys(runs.model for runs in observations))
    return pd.DataFrame(
        [
            {
                "temperature": numbers.short(runs.temperature),
                "side": "other" if models.index(runs.model) else "one",
                "share": runs.loops / runs.runs,
                "low": runs.interval[0],
                "high": runs.interval[1],
                "tip": _("{loops} of {runs} texts").format(loops=numbers.whole(runs.loops), runs=numbers.whole(runs.runs)),
            }
            for runs in newest.values()
        ]
    )


@chart_spec(8)
def copies(colours: Palette) -> alt.TopLevelMixin:
    """The probability of each token of the loop, a line for each copy, the newest the darkest. Columns: see `copy_rows`."""
    x = alt.X("place:O", axis=None, scale=alt.Scale(type="point", padding=0.5))
    depth = alt.Opacity("depth:Q", legend=None, scale=alt.Scale(domain=[0, 1], range=[0.3, 1]))
    up = shares_up(colours).scale(domain=[0, 1], clamp=True, range=[HEIGHT, 0])
    base = CHART.encode(x=x, y=up, opacity=depth)
    lines = base.mark_line(color=colours.dice, strokeWidth=2, tooltip=None).encode(detail="copy:N")
    cards = tips(("piece", _("token")), ("copy_text", _("copy")), ("share_text", _("model's probability")))
    dots = base.mark_point(color=colours.dice, filled=True, size=34).encode(tooltip=cards)
    names = CHART.mark_text(angle=320, align="right", baseline="top", fontSize=11.5, limit=70, color=colours.muted_text, tooltip=None)
    return alt.layer(lines, dots, names.encode(x=x, y=alt.value(HEIGHT + 8), text="label:N")).properties(height=HEIGHT + FEET)


@chart_spec(8)
def loops(colours: Palette) -> alt.TopLevelMixin:
    """The share of texts that loop by temperature, with its interval. Columns: see `run_rows`."""
    x = alt.X("temperature:N", sort=None, axis=grey_axis(colours, _("temperature"), labelAngle=0), scale=alt.Scale(paddingInner=0.4))
    base = CHART.encode(x=x, xOffset="side:N", color=two_sides(colours))
    low = alt.Y("low:Q", scale=alt.Scale(domain=[0, 1], clamp=True))
    rules = base.mark_rule(strokeWidth=2, opacity=0.6, tooltip=None).encode(y=low, y2="high:Q")
    dots = base.mark_point(filled=True, size=80, opacity=1).encode(y=shares_up(colours), tooltip=tips(("tip", _("in a loop"))))
    return alt.layer(rules, dots).properties(height=200)
