"""Stop “notepad” of the tour. The same text with and without a KV cache."""

from __future__ import annotations

import streamlit as st

from core.experiments.cache import CACHED, UNCACHED, race
from pages.cache import race_rows
from pages.ui.charts import cost_charts
from pages.ui.charts.css_colours import legend
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.example_texts import FIRST_PROMPT
from pages.ui.i18n.translation import _
from pages.ui.presenting import tour_state
from pages.ui.presenting.tour_experiment import made_by, widget
from pages.ui.views import chart

LENGTH = 48  # tokens of the race


def draw() -> None:
    """Draw the button and the result."""

    def result(run: Experiment) -> None:
        steps = {runner: [step for step in run.observations if step.runner == runner] for runner in (CACHED, UNCACHED)}
        kinds = (("dice", _("With notes")), ("other", _("Without notes")))
        legend(*kinds)
        if not all(steps.values()):
            return
        chart.draw(
            cost_charts.race,
            race_rows.table(steps, "total_positions"),
            key="tour_race",
            legend=kinds,
            alt_text=_("Two lines: tokens computed so far with and without the notepad (KV cache)."),
            length=LENGTH,
            column="total_positions",
            unit="",
        )
        cached, plain = (steps[runner][-1].total_positions for runner in (CACHED, UNCACHED))
        count = min(map(len, steps.values()))
        st.markdown(
            _("With notes **{cached}** tokens were computed, without notes **{plain}**, for the same {count} new tokens.").format(
                cached=numbers.whole(cached), plain=numbers.whole(plain), count=count
            )
        )

    make = lambda: race(tour_state.model(), FIRST_PROMPT, tour_state.SETTINGS, LENGTH)  # noqa: E731 (passed on)
    widget("notepad", made_by(), make, result, label=_("Start the race"), icon=":material/flag:")
