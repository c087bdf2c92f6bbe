"""Chart, tinted text and table of one text in two ways."""

from __future__ import annotations

import math
from typing import Any

import altair as alt
import numpy as np
import pandas as pd

from core.experiments.same_prompt import Difference
from pages.ui.charts.css_colours import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, tips
from pages.ui.charts.step_tables import Word
from pages.ui.i18n.numbers import written
from pages.ui.i18n.translation import _

BIT = math.log(2)  # nats


@chart_spec(8)
def differences(colours: Palette) -> alt.TopLevelMixin:
    """One bar per token from the zero line. Columns: token, difference_nats, tip."""
    across = alt.X("token:O", axis=grey_axis(colours, _("token"), labelAngle=0), scale=alt.Scale(paddingInner=0.14, paddingOuter=0))
    axis = grey_axis(colours, _("nats"), tickCount=5, format="~g", minExtent=60, maxExtent=60)
    shade = {"condition": {"test": "datum.difference_nats < 0", "value": colours.other}, "value": colours.dice}
    bars = CHART.mark_bar(cornerRadius=1.5).encode(
        x=across, y=alt.Y("difference_nats:Q", axis=axis), color=shade, tooltip=tips(("tip", _("difference")))
    )
    return alt.layer(bars, CHART.mark_rule(color=colours.muted_text).encode(y=alt.datum(0))).properties(height=150)


def number(value: float, digits: int = 2) -> str:
    """Return a number with so many digits: 0.0043, 3.3e-06."""
    return "∞" if math.isinf(value) else written(value, f".{digits}g")


def table(result: Difference) -> pd.DataFrame:
    """Return every number of the comparison, one row per token; token counts from 1."""
    changes = np.array([math.nan, *result.differences])
    first, second = zip(*result.favourites, strict=True)
    return pd.DataFrame(
        {
            "token": range(1, len(changes) + 1),
            "token_id": result.token_ids,
            "piece": result.pieces,
            "first_nats": result.first,
            "second_nats": result.second,
            "difference_nats": changes,
            "difference_bits": changes / BIT,
            "ratio": np.exp(changes),
            "kl_nats": result.kl,
            "first_favourite": first,
            "second_favourite": second,
            "lead_nats": result.leads,
        }
    )


def bars(numbers: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the chart. A difference without end, where one way excludes the token, has no bar."""
    rows = numbers[["token", "difference_nats"]].where(np.isfinite(numbers.difference_nats))
    return rows.assign(token=numbers.token, tip=["", *map(_tip, numbers[1:].itertuples())])[1:]


def words(numbers: pd.DataFrame) -> list[Word]:
    """Return the text, each token tinted by its difference: the largest is darkest. A frame is around a token with another favourite."""
    sizes, tinted = numbers.difference_nats.abs(), [Word(numbers.piece[0])]
    largest = sizes[np.isfinite(sizes)].max() or 1.0
    for row in numbers[1:].itertuples():
        changed = row.first_favourite != row.second_favourite
        lines = [_tip(row), _("KL divergence {kl} nats").format(kl=number(row.kl_nats))]
        lines += [_("likeliest: {first}, then {second}").format(first=row.first_favourite, second=row.second_favourite)] if changed else []
        tinted.append(Word.signed(row.piece, row.difference_nats, largest, marked=changed, lines=tuple(lines)))
    return tinted


def _tip(row: Any) -> str:
    return _("{piece}: {first} and {second} nats, difference {change}").format(
        piece=row.piece, first=number(row.first_nats), second=number(row.second_nats), change=number(row.difference_nats)
    )
