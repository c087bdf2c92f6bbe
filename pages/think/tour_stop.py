"""Stop “aloud” of the tour. One sum, at once and step by step."""

from __future__ import annotations

import streamlit as st

from core.experiments.shared.prompting_styles import CHAIN_OF_THOUGHT
from core.experiments.think.thinking import Question
from pages.think import think_view
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.translation import _
from pages.ui.presenting import tour_state
from pages.ui.presenting.tour_experiment import made_by, widget
from pages.ui.session import elements
from pages.ui.views.tinted_text import tinted_text


def draw() -> None:
    """Draw the button and the result."""
    text, answer = EXAMPLES.sum
    question = Question(f"Question: {text}\n", answer)
    now = made_by(None, question=text)

    def result(run: Experiment) -> None:
        for home, (way, title) in zip(st.columns([0.4, 0.6], gap="large"), think_view.TITLES.items(), strict=True):
            thoughts = [thought for whose, thought in run.observations if whose == way]
            with home:
                elements.section(_(title))
                tinted_text([thought.step for thought in thoughts], key=f"tour_{way.name[:3]}", other=way == CHAIN_OF_THOUGHT)
                if thoughts and not run.running:
                    st.markdown(think_view.verdict(thoughts[-1].given, question.answer))

    st.markdown(f"*{text}*")
    make = lambda: think_view.both_styles(tour_state.model(), question)  # noqa: E731 (passed on)
    widget("aloud", now, make, result, label=_("Ask both ways"), icon=":material/help:")
