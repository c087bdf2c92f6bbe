"""Training from random weights, on the page: a text field, the loss falling, and what the newborn writes every few steps."""

from __future__ import annotations

import streamlit as st

from core.labs.newborn import Growth, grow_up
from core.labs.teach import Waiting
from core.training.finetune import LONGEST_TEXT
from core.training.from_nothing import Newborn
from pages.parts.charts import charts, teach_charts, teach_rows
from pages.parts.layout import frame, results
from pages.parts.runtime import experiment
from pages.parts.session import current, provenance
from pages.parts.session.state import STAYS
from pages.parts.text import numbers
from pages.parts.text import teach_words as words

NAME = "newborn"
SHOWN = 8  # samples
PARAMETERS = 111_040


def newborn() -> None:
    """Draw the section."""
    frame.section(words.NEWBORN_TITLE, words.NEWBORN_TERM.format(count=f"{PARAMETERS:,}"))
    st.caption(words.NEWBORN_LEAD)
    text = st.text_area(words.NEWBORN_TEXT, words.ALICE, key="newborn_text", height=120, max_chars=LONGEST_TEXT, **STAYS) or ""
    now = provenance.Provenance(NAME, chosen=((words.BY_TEXT, text),))

    @current.error_boundary
    def begin() -> None:
        current.at(NAME)
        child = Newborn(text)
        first = next((word for word in text.split() if word[0].isalpha()), "The")
        experiment.start(NAME, lambda: grow_up(child, f"{first} "), now, first, of_page=True)

    if experiment.of(NAME).running:
        st.button(words.STOP, on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="newborn_stop")
    else:
        frame.button(words.NEWBORN_BEGIN, begin, icon=":material/child_care:", key="newborn_start")

    def draw() -> None:
        with results.shown(NAME, now, begin) as run:
            steps = [seen for seen in run.seen if isinstance(seen, Growth)]
            if run.running and run.seen and isinstance(run.seen[-1], Waiting):
                frame.show_notice(words.WAITING.format(place=run.seen[-1].place))
            if not steps:
                return
            last = steps[-1]
            told = {"steps": f"{last.index:,} steps", "seconds": numbers.duration(last.seconds), "bytes": f"{last.tokens:,}"}
            st.markdown(words.NEWBORN_TOLD.format(bits=f"{last.bits:.2f}", **told))
            left, right = st.columns([0.4, 0.6], gap="large")
            with left:
                charts.draw(
                    teach_charts.loss,
                    teach_rows.growth(steps),
                    key="newborn_loss",
                    alt_text=words.NEWBORN_ALT,
                    unit="bits a byte",
                    height=220,
                )
            with right:
                samples = [step for step in steps if step.sample is not None]
                thin = max(1, -(-len(samples) // SHOWN))
                kept = samples[::-thin][::-1]
                for step in kept:
                    st.caption(f"{step.index - 1:,} steps")
                    st.text(f"{run.about} {step.sample}")

    results.live(draw, NAME, key="newborn_course")
