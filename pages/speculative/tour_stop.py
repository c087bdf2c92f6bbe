"""Stop “guess” of the tour. A small model guesses ahead, the large one checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import streamlit as st

from core.experiments.speculative import PlainStep, SpeculativeRound, gain, speculate
from pages.speculative.speculative_text import speculative_text, verdicts
from pages.ui.charts.css_colours import legend
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n.example_texts import FIRST_PROMPT
from pages.ui.i18n.translation import _
from pages.ui.presenting import tour_state
from pages.ui.presenting.tour_experiment import made_by, widget
from pages.ui.session import current

GUESSES = 4
LENGTH = 48  # tokens


def draw() -> None:
    """Draw the button and the result."""
    now = made_by(drafted=GUESSES)

    def write() -> Iterator[Any]:
        model = tour_state.model()
        small = f"{model.name}-mini"
        draft = current.model_named(small) if small in current.model_names() else None
        return speculate(model, draft, FIRST_PROMPT, tour_state.SETTINGS, GUESSES, LENGTH)

    def result(run: Experiment) -> None:
        rounds = [step for step in run.observations if isinstance(step, SpeculativeRound)]
        legend(*verdicts())
        speculative_text(FIRST_PROMPT, rounds, key="tour_speculative")
        if rounds:
            measured_gain = gain([step for step in run.observations if isinstance(step, SpeculativeRound | PlainStep)], GUESSES)
            line = _("**{passes}** passes of the large model wrote **{written}** tokens. **{accepted}** of {drafted} drafts were accepted.")
            st.markdown(
                line.format(
                    passes=measured_gain.passes,
                    written=measured_gain.written,
                    accepted=measured_gain.accepted,
                    drafted=measured_gain.drafted,
                )
            )

    widget("guess", now, write, result, label=_("Run both models"), icon=":material/fast_forward:")
