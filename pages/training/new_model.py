"""Training from random weights, on the page: a text field, the falling loss, and what the new model writes every few steps."""

from __future__ import annotations

import streamlit as st

from core.experiments.shared.training_queue import Waiting
from core.experiments.training.scratch_training import ScratchTrainingStep, train_from_scratch
from core.finetuning.finetune import LONGEST_TEXT
from core.finetuning.from_scratch import ScratchModel
from pages.training import loss_rows
from pages.ui.charts import loss_chart
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.translation import N_, _
from pages.ui.session import elements, notices, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.views import chart
from pages.ui.views.training_queue import waiting

NAME = "newborn"
SHOWN = 8  # samples
PARAMETERS = 111_040


def newborn() -> None:
    """Draw the text field, the button and the result."""
    elements.section(_("From random weights"), _("a model of {count} parameters, by bytes").format(count=numbers.whole(PARAMETERS)))
    st.caption(_("It has never read anything. Paste a text and watch it learn letters, then words, then nearly sentences."))
    widget_options = {"key": "newborn_text", "height": 120, **PERSISTENT}
    text = st.text_area(_("Training text"), EXAMPLES.alice, max_chars=LONGEST_TEXT, **widget_options) or ""
    first = next((word for word in text.split() if word[0].isalpha()), "The")
    now = provenance.Provenance(NAME, controls=provenance.stored(text=text))
    begin = results.starter(NAME, now, lambda: train_from_scratch(ScratchModel(text), f"{first} "), first, of_page=True)
    results.start_button(NAME, _("Train"), begin, type="primary", icon=":material/child_care:")
    results.part(NAME, now, begin, draw)


def draw(run: Experiment) -> None:
    """Draw the loss so far and the samples."""
    if run.running and isinstance(run.observations[-1], Waiting):
        notices.show_notice(waiting(run.observations[-1]))
    steps = [observation for observation in run.observations if isinstance(observation, ScratchTrainingStep)]
    if not steps:
        return
    last = steps[-1]
    count = _("{count} steps")
    st.markdown(
        _("{bits} bits per byte after {steps}; equal probabilities would be 8. {seconds}, {bytes} bytes read.").format(
            bits=numbers.decimal(last.bits, 2),
            steps=count.format(count=numbers.whole(last.index)),
            seconds=numbers.duration(last.seconds),
            bytes=numbers.whole(last.tokens),
        )
    )
    left, right = st.columns([0.4, 0.6], gap="large")
    with left:
        alt_text, rows = _("A falling line: bits per byte at each training step, from 8 down."), loss_rows.scratch_loss_rows(steps)
        chart.draw(loss_chart.loss, rows, key="newborn_loss", alt_text=alt_text, unit=N_("bits a byte"), height=220)
    with right:
        samples = [step for step in steps if step.sample is not None]
        for step in samples[:: -max(1, -(-len(samples) // SHOWN))][::-1]:
            st.caption(count.format(count=numbers.whole(step.index - 1)))
            st.text(f"{run.about} {step.sample}")
