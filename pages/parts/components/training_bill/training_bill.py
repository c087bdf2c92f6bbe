"""Training step beside inference step, and the break-even number of answers: what learning costs, measured, computed and assumed apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import streamlit as st

from core.costs.published import MODELS
from core.costs.training import PUBLISHED, answers_until_even, training_work
from core.labs.training_step import StepComparison, compare_steps
from core.models.card import card_section
from core.models.growth import growth_of
from pages.parts.layout import frame, results
from pages.parts.runtime import experiment
from pages.parts.session import current, provenance
from pages.parts.session.state import STAYS
from pages.parts.text import numbers
from pages.parts.text import teach_words as words

NAME = "teach_step"
TRAINING = "Training"  # heading of the part of a model's card that says how it was trained
SENTENCE = "Once upon a time, there was a little fox who lived by the river and wanted to learn how to swim."


def training_bill() -> None:
    """Draw both sections."""
    frame.section(words.STEP_TITLE, words.STEP_TERM)
    st.caption(words.STEP_LEAD)

    @current.error_boundary
    def begin() -> None:
        current.at(NAME)
        model = current.model()

        def work() -> Iterator[Any]:
            yield compare_steps(model, SENTENCE)

        experiment.start(NAME, work, provenance.now(prompt=False, settings=False))

    st.button(words.STEP_GO, on_click=begin, icon=":material/balance:", key="teach_step_start", disabled=experiment.of(NAME).running)

    def draw() -> None:
        with results.shown(NAME, provenance.now(prompt=False, settings=False), begin) as run:
            for seen in run.seen:
                if isinstance(seen, StepComparison):
                    comparison(seen)

    results.live(draw, NAME, key="teach_step_course")
    bill()


def comparison(seen: StepComparison) -> None:
    """The table, and the fingerprints."""
    step, work = seen.training, seen.training_work
    rows = (
        (numbers.duration(seen.inference_seconds), numbers.duration(step.seconds), "measured"),
        (numbers.count(seen.inference_work), numbers.count(work.forward), "computed"),
        ("–", numbers.count(work.backward), "computed"),
        ("–", numbers.count(work.update), "computed"),
        (numbers.size(seen.weight_bytes), numbers.size(step.weight_bytes), "measured"),
        ("–", numbers.size(step.gradient_bytes), "measured"),
        ("–", numbers.size(step.optimizer_bytes), "measured"),
        ("–", numbers.size(step.activation_bytes), "measured"),
        (numbers.size(seen.cache_bytes), "–", "computed"),
    )
    lines = "\n".join(f"| {name} | {one} | {other} | {kind} |" for name, (one, other, kind) in zip(words.STEP_ROWS, rows, strict=True))
    st.markdown(f"| {seen.tokens} tokens | talking | learning | |\n|---|---:|---:|---|\n{lines}")
    st.markdown(
        words.FINGERPRINT.format(
            before=seen.inference_fingerprints[0],
            after=seen.inference_fingerprints[1],
            learned=seen.training_fingerprints[1],
            changed=f"{seen.changed:,}",
            weights=f"{seen.weights:,}",
        )
    )


def bill() -> None:
    """What the bundled model's training cost, and a known one's; and after how many answers inference has cost as much."""
    frame.section(words.BILL_TITLE, words.BILL_TERM)
    one, two, three = st.columns(3, gap="medium")
    read = one.number_input(words.BILL_READ, 1, 100_000, 200, key="teach_read", **STAYS)
    written = two.number_input(words.BILL_WRITTEN, 1, 10_000, 300, key="teach_written", **STAYS)
    watts = three.number_input(words.BILL_WATTS, 1.0, 5_000.0, 45.0, key="teach_watts", **STAYS)
    own(int(read), int(written), float(watts))
    name = st.selectbox(words.BILL_MODEL, list(PUBLISHED), index=1, format_func=lambda key: MODELS[key].title, key="teach_known", **STAYS)
    known = PUBLISHED[name]
    shape = MODELS[known.model].shape
    answers = answers_until_even(training_work(shape, known.tokens, 4096), shape, int(read), int(written))
    st.markdown(
        words.BILL_KNOWN.format(
            title=MODELS[known.model].title,
            tokens=numbers.count(known.tokens),
            hours=f"{known.gpu_hours / 1e6:.3g}",
            watts=f"{known.watts:g}",
            source=known.source,
            energy=f"{known.gpu_hours * known.watts / 1e9:,.1f} GWh at most",
            answers=numbers.count(answers),
        )
    )


def own(read: int, written: int, watts: float) -> None:
    """The bundled model's own training, from its record."""
    name = current.model_names()[0]
    record = growth_of(name)
    if record is None:
        return
    model, last = current.model_named(name), record.moments[-1]
    work = training_work(model.shape, last.tokens)
    told = {"tokens": numbers.count(last.tokens), "steps": f"{last.step:,}", "work": numbers.count(work)}
    comparisons = [seen for seen in experiment.of(NAME).seen if isinstance(seen, StepComparison)]
    if comparisons and not experiment.of(NAME).recorded_on:  # the hours are said to be those of this machine
        seconds = comparisons[-1].training.seconds / comparisons[-1].tokens * last.tokens
        energy = f"{seconds * watts / 3.6e6:,.2f} kWh"
        st.markdown(words.BILL_OWN.format(hours=f"{seconds / 3600:,.1f} hours", watts=f"{watts:g}", energy=energy, **told))
    else:
        st.markdown(words.BILL_OWN_PLAIN.format(**told))
    hours = re.search(r"(?:[^.;]|\.(?=\d))*\bhours\b(?:[^.;]|\.(?=\d))*", card_section(name, TRAINING))
    if hours is not None:
        st.markdown(words.BILL_CARD.format(card=" ".join(hours[0].split())))
    answers = answers_until_even(work, model.shape, min(read, 200), min(written, 300))
    st.markdown(words.BILL_EVEN.format(answers=numbers.count(answers), length=f"{min(written, 300):,}"))
