"""One step rolled many times: how often each token comes, beside its probability. The text does not change."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
import streamlit as st

from core.generation.step_again import resample
from core.record.step import Step, TokenDistribution
from pages.inside import inside_charts
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _
from pages.ui.session import state
from pages.ui.views import chart

TOKENS = 8  # with a row of their own; the others share one
MOST_ROLLS = 3_000
MOST_MARKS = 400  # newest rolls that are drawn as marks


@dataclass(slots=True)
class _Tallies:
    """counts: for each widget's key, the step and how often it was rolled."""

    counts: dict[str, tuple[tuple[object, ...], int]] = field(default_factory=dict)


def roll_tally(distribution: TokenDistribution | Step, *, key: str) -> None:
    """Draw buttons that roll this step, and what came."""
    step = (distribution.index, distribution.position, distribution.settings, tuple(distribution.token_ids.tolist()))

    tallies = state.memory(_Tallies).counts

    def rolls_now() -> int:
        tally = tallies.get(key)
        return tally[1] if tally and tally[0] == step else 0

    def add_rolls(times: int) -> None:
        tallies[key] = (step, max(0, min(MOST_ROLLS, rolls_now() + times)))

    def draw() -> None:
        count = rolls_now()
        with st.container(horizontal=True, vertical_alignment="center"):
            for times, label in ((100, _("Roll 100 times")), (1_000, _("Roll 1,000 times"))):
                st.button(label, on_click=add_rolls, args=(times,), disabled=count >= MOST_ROLLS, key=f"{key}_{times}")
            if count:
                st.button(_("Delete the rolls"), on_click=add_rolls, args=(-MOST_ROLLS,), type="tertiary", key=f"{key}_delete")
                st.caption(_("{n} rolls").format(n=numbers.whole(count)), width="content")
        rows, rolls = tally_rows(distribution, count)
        chart.draw(
            inside_charts.tally,
            rows,
            key=f"{key}_chart",
            alt_text=_("Bars: the probability of each token, and how often it came, from 0 to 100 percent."),
            rows=TOKENS + 1,
        )
        if not count:
            st.caption(_("Colour: the probability. Dark: how often the token was chosen. Line: the range of 95 in 100 repetitions."))
            return
        chart.draw(inside_charts.rolls, rolls, key=f"{key}_rolls", alt_text=_("The newest rolls as marks from 0 to 1."), described=False)
        near = _("{within} of {all} tokens are inside their 95 % range. With more rolls, the counts come closer to the probabilities.")
        st.caption(near.format(within=int(rows.usual.sum()), all=len(rows)))

    with st.container(key=key):
        st.fragment(draw, key=f"{key}_fragment")()


def tally_rows(distribution: TokenDistribution | Step, count: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the rows of `inside_charts.tally` and `inside_charts.rolls` after so many rolls. Usual range: two standard deviations."""
    alive = sorted((c for c in distribution.candidates if c.dice_start is not None), key=lambda c: c.dice_start or 0.0)[:TOKENS]
    taken = distribution.key if isinstance(distribution, Step) else None
    table = pd.DataFrame(
        [(c.piece, c.sampling_probability, "taken" if c.key == taken else "") for c in alive], columns=["label", "expected", "kind"]
    )
    unlisted = 1.0 - table.expected.sum()
    if unlisted > 1e-6:
        table.loc[len(table)] = [_("everything else"), unlisted, "rest"]
    thrown = resample(distribution, count)
    places = {c.key: index for index, c in enumerate(alive)}
    hits = np.bincount([places.get(token_id, len(table) - 1) for token_id in thrown.token_ids.tolist()], minlength=len(table))
    table["row"] = range(len(table))
    table["count"] = hits
    table["seen"] = hits / max(1, count)
    spread = 2 * np.sqrt(table.expected * (1 - table.expected) / max(1, count))
    table["low"], table["high"] = (table.expected - spread).clip(0, 1), (table.expected + spread).clip(0, 1)
    table["usual"] = (table.seen - table.expected).abs() <= spread + 0.5 / max(1, count)
    table["number"] = [_number(row.expected, row.seen, row.count, count) for row in table.itertuples(index=False)]
    if not count:
        table[["low", "high"]] = np.nan
    return table, pd.DataFrame({"roll": thrown.rolls[-MOST_MARKS:]})


def _number(expected: float, seen: float, hits: int, count: int) -> str:
    """Return a row's numbers: probability, and with rolls also the share and count of hits."""
    share = numbers.percent(expected)
    return f"{share} · {numbers.percent(seen)} ({numbers.whole(hits)})" if count else share
