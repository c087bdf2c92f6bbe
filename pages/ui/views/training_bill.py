"""Training step beside inference step, and the break-even number of answers: what learning costs, measured, computed and assumed apart."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import streamlit as st

from core import language
from core.costs.published import MODELS
from core.costs.training import PUBLISHED, answers_until_even, training_work
from core.experiments.training_step import StepComparison, compare_steps
from core.language import N_, _
from core.models.bundled_models import card_section
from core.models.growth import growth_of
from pages.ui.experiments import experiment, results
from pages.ui.i18n import numbers
from pages.ui.session import current, elements, provenance
from pages.ui.session.state import PERSISTENT

ROWS = (
    N_("Time"),
    N_("Multiply-adds, forward"),
    N_("… backward"),
    N_("… update"),
    N_("Weights"),
    N_("Gradients"),
    N_("Optimizer state"),
    N_("Kept for the way back"),
    N_("KV cache"),
)


NAME = "teach_step"
TRAINING = "Training"  # heading of the part of a model's card that says how it was trained
SENTENCE = "Once upon a time, there was a little fox who lived by the river and wanted to learn how to swim."


def training_bill() -> None:
    """Draw both sections."""
    elements.section(_("One step of learning beside one of talking"), _("a training step and an inference step on the same tokens"))
    st.caption(_("Talking reads the weights; learning has to find out which way each of them should move, and to move them."))

    @current.error_boundary
    def begin() -> None:
        current.anchor_notices(NAME)
        model = current.model()

        def work() -> Iterator[Any]:
            yield compare_steps(model, SENTENCE)

        experiment.start(NAME, work, provenance.now(prompt=False, settings=False))

    st.button(_("Measure both"), on_click=begin, icon=":material/balance:", key="teach_step_start", disabled=experiment.of(NAME).running)

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
    lines = "\n".join(f"| {_(name)} | {one} | {other} | {_(kind)} |" for name, (one, other, kind) in zip(ROWS, rows, strict=True))
    head = _("| {tokens} | talking | learning | |").format(tokens=numbers.tokens(seen.tokens))
    st.markdown(f"{head}\n|---|---:|---:|---|\n{lines}")
    st.markdown(
        _(
            "Fingerprint of all weights before and after talking: `{before}` and `{after}`: not a bit "
            "has changed. **It does not learn from your chat.** After one step of learning: `{learned}`; "
            "{changed} of {weights} numbers are others."
        ).format(
            before=seen.inference_fingerprints[0],
            after=seen.inference_fingerprints[1],
            learned=seen.training_fingerprints[1],
            changed=numbers.whole(seen.changed),
            weights=numbers.whole(seen.weights),
        )
    )


def bill() -> None:
    """What the bundled model's training cost, and a known one's; and after how many answers inference has cost as much."""
    elements.section(_("What learning costs, and when it pays"), _("training once, inference for every answer"))
    one, two, three = st.columns(3, gap="medium")
    read = one.number_input(_("Tokens of a question"), 1, 100_000, 200, key="teach_read", **PERSISTENT)
    written = two.number_input(_("Tokens of an answer"), 1, 10_000, 300, key="teach_written", **PERSISTENT)
    watts = three.number_input(_("Watts of this machine (assumed)"), 1.0, 5_000.0, 45.0, key="teach_watts", **PERSISTENT)
    own(int(read), int(written), float(watts))
    name = st.selectbox(
        _("A model you have heard of"), list(PUBLISHED), index=1, format_func=lambda key: MODELS[key].title, key="teach_known", **PERSISTENT
    )
    known = PUBLISHED[name]
    shape = MODELS[known.model].shape
    answers = answers_until_even(training_work(shape, known.tokens, 4096), shape, int(read), int(written))
    st.markdown(
        _(
            "{title}: {tokens} tokens, {hours} million card-hours at up to {watts} W ({source}): "
            "{energy}. Even after **{answers}** such answers."
        ).format(
            title=MODELS[known.model].title,
            tokens=numbers.count(known.tokens),
            hours=language.written(known.gpu_hours / 1e6, ".3g"),
            watts=numbers.short(known.watts),
            source=known.source,
            energy=_("{energy} GWh at most").format(energy=numbers.decimal(known.gpu_hours * known.watts / 1e9, 1)),
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
    told = {"tokens": numbers.count(last.tokens), "steps": numbers.whole(last.step), "work": numbers.count(work)}
    comparisons = [seen for seen in experiment.of(NAME).seen if isinstance(seen, StepComparison)]
    if comparisons and not experiment.of(NAME).recorded_on:  # the hours are said to be those of this machine
        seconds = comparisons[-1].training.seconds / comparisons[-1].tokens * last.tokens
        energy = _("{energy} kWh").format(energy=numbers.decimal(seconds * watts / 3.6e6, 2))
        st.markdown(
            _(
                "The bundled model learned from {tokens} tokens in {steps} steps: {work} multiply-adds "
                "(computed: three for each weight and token). At the speed of the training step measured "
                "above that would be {hours} on this machine (computed); at {watts} W (assumed) {energy}."
            ).format(
                hours=_("{count} hours").format(count=numbers.decimal(seconds / 3600, 1)), watts=numbers.short(watts), energy=energy, **told
            )
        )
    else:
        st.markdown(
            _(
                "The bundled model learned from {tokens} tokens in {steps} steps: {work} multiply-adds "
                "(computed: three for each weight and token)."
            ).format(**told)
        )
    hours = re.search(r"(?:[^.;]|\.(?=\d))*\bhours\b(?:[^.;]|\.(?=\d))*", card_section(name, TRAINING))
    if hours is not None:
        st.markdown(_("Its card says how long that took in truth: “{card}”.").format(card=" ".join(hours[0].split())))
    answers = answers_until_even(work, model.shape, min(read, 200), min(written, 300))
    st.markdown(
        _("After **{answers}** answers of {length} tokens, talking has cost as many multiply-adds as learning did.").format(
            answers=numbers.count(answers), length=numbers.whole(min(written, 300))
        )
    )
