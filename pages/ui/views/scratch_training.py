"""Training from random weights, on the page: a text field, the loss falling, and what the newborn writes every few steps."""

from __future__ import annotations

import streamlit as st

from core.experiments.newborn import Growth, grow_up
from core.experiments.teach import Waiting
from core.finetuning.finetune import LONGEST_TEXT
from core.finetuning.from_nothing import Newborn
from core.language import N_, _
from pages.ui.charts import charts, teach_charts, teach_rows
from pages.ui.experiments import experiment, results
from pages.ui.i18n import example_texts, numbers
from pages.ui.session import current, elements, provenance
from pages.ui.session.state import PERSISTENT

NAME = "newborn"
SHOWN = 8  # samples
PARAMETERS = 111_040


def newborn() -> None:
    """Draw the section."""
    elements.section(
        _("Or from nothing"), _("a model of {count} parameters, by bytes, from random weights").format(count=numbers.whole(PARAMETERS))
    )
    st.caption(_("It has never read anything. Paste a text and watch it come from noise to letters, to words, almost to sentences."))
    text = (
        st.text_area(
            _("A text to grow up with"),
            example_texts.ALICE,
            key="newborn_text",
            height=120,
            max_chars=LONGEST_TEXT,
            **PERSISTENT,
        )
        or ""
    )
    now = provenance.Provenance(NAME, chosen=((N_("the text"), text),))

    @current.error_boundary
    def begin() -> None:
        current.anchor_notices(NAME)
        child = Newborn(text)
        first = next((word for word in text.split() if word[0].isalpha()), "The")
        experiment.start(NAME, lambda: grow_up(child, f"{first} "), now, first, of_page=True)

    if experiment.of(NAME).running:
        st.button(_("Stop"), on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="newborn_stop")
    else:
        elements.button(_("Begin"), begin, icon=":material/child_care:", key="newborn_start")

    def draw() -> None:
        with results.shown(NAME, now, begin) as run:
            steps = [seen for seen in run.seen if isinstance(seen, Growth)]
            if run.running and run.seen and isinstance(run.seen[-1], Waiting):
                elements.show_notice(_("Somebody else is being taught just now. Before you: {place}.").format(place=run.seen[-1].place))
            if not steps:
                return
            last = steps[-1]
            told = {
                "steps": _("{count} steps").format(count=numbers.whole(last.index)),
                "seconds": numbers.duration(last.seconds),
                "bytes": numbers.whole(last.tokens),
            }
            st.markdown(
                _("{bits} bits a byte after {steps}; 8 would be blind guessing. {seconds}, {bytes} bytes read.").format(
                    bits=numbers.decimal(last.bits, 2), **told
                )
            )
            left, right = st.columns([0.4, 0.6], gap="large")
            with left:
                charts.draw(
                    teach_charts.loss,
                    teach_rows.scratch_loss_rows(steps),
                    key="newborn_loss",
                    alt_text=_("A falling line: bits per byte at each training step, from 8 down."),
                    unit=N_("bits a byte"),
                    height=220,
                )
            with right:
                samples = [step for step in steps if step.sample is not None]
                thin = max(1, -(-len(samples) // SHOWN))
                kept = samples[::-thin][::-1]
                for step in kept:
                    st.caption(_("{count} steps").format(count=numbers.whole(step.index - 1)))
                    st.text(f"{run.about} {step.sample}")

    results.live(draw, NAME, key="newborn_course")
