"""Chart and rows of one text in two ways."""

from __future__ import annotations

import math

import altair as alt
import numpy as np
import pandas as pd

from core.experiments.same_prompt import Difference
from pages.ui.charts.palette import DARKEST, Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, tips
from pages.ui.charts.step_rows import Word
from pages.ui.i18n.translation import _, written

BIT = math.log(2)  # nats


@chart_spec(8)
def differences(colours: Palette) -> alt.TopLevelMixin:
    """One bar per token from the zero line. Columns: index, difference (nats), tip."""
    across = alt.X("index:O", axis=None, scale=alt.Scale(paddingInner=0.14, paddingOuter=0))
    axis = grey_axis(colours, tickCount=5, format="~g", minExtent=60, maxExtent=60)
    shade = {"condition": {"test": "datum.difference < 0", "value": colours.other}, "value": colours.dice}
    bars = CHART.mark_bar(cornerRadius=1.5).encode(
        x=across, y=alt.Y("difference:Q", axis=axis), color=shade, tooltip=tips(("tip", _("difference")))
    )
    return alt.layer(bars, CHART.mark_rule(color=colours.muted_text).encode(y=alt.datum(0))).properties(height=150)


def number(value: float) -> str:
    """Return a small number in nats with two digits: 0.0043, 3.3e-06."""
    return written(value, ".2g") if math.isfinite(value) else "∞"


def rows(seen: Difference) -> pd.DataFrame:
    """Return the rows of the chart. A difference without end, where one way excludes the token, has no bar."""
    table = [(index + 1, value if math.isfinite(value) else None, _tip(seen, index + 1)) for index, value in enumerate(seen.differences)]
    return pd.DataFrame(table, columns=["index", "difference", "tip"])


def _tip(seen: Difference, index: int) -> str:
    first, second = number(seen.first[index]), number(seen.second[index])
    change = number(seen.second[index] - seen.first[index])
    return _("{piece}: {first} and {second} nats, difference {change}").format(
        piece=seen.pieces[index], first=first, second=second, change=change
    )


def words(seen: Difference) -> list[Word]:
    """Return the text, each token tinted by its difference: the largest is darkest."""
    most, tinted = (
        max(1e-300, float(np.max(np.abs(seen.differences), where=np.isfinite(seen.differences), initial=0))),
        [Word(seen.pieces[0])],
    )
    for index, change in enumerate(seen.differences.tolist(), 1):
        depth, changed = DARKEST * min(1.0, abs(change) / most), seen.favourites[index]
        lines = [_tip(seen, index), _("KL divergence {kl} nats").format(kl=number(seen.kl[index]))]
        if changed[0] != changed[1]:
            lines.append(_("likeliest: {first}, then {second}").format(first=changed[0], second=changed[1]))
        colour = "other" if change < 0 else "dice"
        tinted.append(Word(seen.pieces[index], colour, depth, marked=changed[0] != changed[1], lines=tuple(lines)))
    return tinted


def table(seen: Difference) -> pd.DataFrame:
    """Return every number of the comparison, one row per token."""
    changes = np.array([math.nan, *seen.differences])
    return pd.DataFrame(
        {
            "index": range(len(seen.token_ids)),
            "token_id": seen.token_ids,
            "piece": seen.pieces,
            "first_nats": seen.first,
            "second_nats": seen.second,
            "difference_nats": changes,
            "difference_bits": changes / BIT,
            "ratio": np.exp(changes),
            "kl_nats": seen.kl,
            "first_favourite": [first for first, _second in seen.favourites],
            "second_favourite": [second for _first, second in seen.favourites],
            "lead_nats": seen.leads,
        }
    )
