"""A training step beside an inference step, and after how many answers inference has cost as much as the training."""

from __future__ import annotations

import re
from collections.abc import Iterator

import streamlit as st

from core.costs.assumptions import Assumptions
from core.costs.published import MODELS
from core.costs.training import PUBLISHED, answers_until_even, training_work
from core.engine.model import LanguageModel
from core.experiments.training.training_step import StepComparison, compare_steps
from core.models.bundled_models import card_section
from core.models.growth_record import growth_of
from pages.ui.experiments import experiment, results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.numbers import written
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, provenance
from pages.ui.session.elements import PERSISTENT

NAME = "teach_step"
TRAINING = "Training"  # heading of the part of a model's card that says how it was trained
_PART = re.compile(r"(?:;|\.(?!\d))")  # ends a part of a sentence; a decimal point does not
SENTENCE = "Once upon a time, there was a little fox who lived by the river and wanted to learn how to swim."


def training_bill() -> None:
    """Draw both sections."""
    elements.section(_("One training step beside one inference step"), _("on the same tokens"))
    st.caption(_("Inference reads the weights. Training also computes how each weight should change, and changes it."))
    now = provenance.now(prompt=False, settings=False)
    begin = results.starter(NAME, now, lambda: measured_steps(current.model()))
    results.start_button(NAME, _("Measure both"), begin, type="primary", icon=":material/balance:")
    results.part(NAME, now, begin, comparison)
    elements.section(_("After how many answers has inference cost as much as training?"), _("training once, inference for every answer"))
    left, middle, right = st.columns(3, gap="medium")
    read = left.number_input(_("Tokens of a prompt"), 1, 100_000, 200, key="training_read", **PERSISTENT)
    answer = middle.number_input(_("Tokens of an answer"), 1, 10_000, 300, key="training_written", **PERSISTENT)
    watts = right.number_input(_("Watts of this machine (assumed)"), 1.0, 5_000.0, Assumptions().watts, key="training_watts", **PERSISTENT)
    bundled_model(int(read), int(answer), float(watts))
    title = lambda key: MODELS[key].title  # noqa: E731 (a short format function)
    name = st.selectbox(_("A known model"), list(PUBLISHED), index=1, format_func=title, key="training_known", **PERSISTENT)
    known_model(name, int(read), int(answer))


def measured_steps(model: LanguageModel) -> Iterator[StepComparison]:
    """Yield one comparison of a training step with an inference step."""
    yield compare_steps(model, SENTENCE)


def comparison(run: Experiment) -> None:
    """Draw the table of both steps, and the fingerprints of the weights."""
    result: StepComparison = run.observations[-1]
    step, work = result.training, result.training_work
    measured, computed = _("measured"), _("computed")
    rows = (
        (_("Time"), numbers.duration(result.inference_seconds), numbers.duration(step.seconds), measured),
        (_("Multiply-adds, forward"), numbers.count(result.inference_work), numbers.count(work.forward), computed),
        (_("… backward"), "–", numbers.count(work.backward), computed),
        (_("… update"), "–", numbers.count(work.update), computed),
        (_("Weights"), numbers.size(result.weight_bytes), numbers.size(step.weight_bytes), measured),
        (_("Gradients"), "–", numbers.size(step.gradient_bytes), measured),
        (_("Optimizer state"), "–", numbers.size(step.optimizer_bytes), measured),
        (_("Activations for the backward pass"), "–", numbers.size(step.activation_bytes), measured),
        (_("KV cache"), numbers.size(result.cache_bytes), "–", computed),
    )
    elements.table((numbers.tokens(result.tokens), _("inference"), _("training"), _("number")), rows)
    st.markdown(
        _(
            "Fingerprint of all weights before and after inference: `{before}` and `{after}`. **The model does not learn from your text.** "
            "After one training step: `{learned}`; {changed} of {weights} weights changed."
        ).format(
            before=result.inference_fingerprints[0],
            after=result.inference_fingerprints[1],
            learned=result.training_fingerprints[1],
            changed=numbers.whole(result.changed),
            weights=numbers.whole(result.weights),
        )
    )


def known_model(name: str, read: int, answer: int) -> None:
    """Draw the training of a known model, from its publication."""
    published = PUBLISHED[name]
    model = MODELS[published.model]
    answers = answers_until_even(training_work(model.shape, published.tokens, 4096), model.shape, read, answer)
    st.markdown(
        _(
            "{title}: {tokens} tokens, {hours} million card-hours at up to {watts} W ({source}): at most {energy} GWh. "
            "Inference has needed as many multiply-adds after **{answers}** such answers."
        ).format(
            title=model.title,
            tokens=numbers.count(published.tokens),
            hours=written(published.gpu_hours / 1e6, ".3g"),
            watts=numbers.short(published.watts),
            source=published.source,
            energy=numbers.decimal(published.gpu_hours * published.watts / 1e9, 1),
            answers=numbers.count(answers),
        )
    )


def bundled_model(read: int, answer: int, watts: float) -> None:
    """Draw the training of the bundled model, from its record."""
    name = current.model_names()[0]
    record = growth_of(name)
    if record is None:
        return
    model, last = current.model_named(name), record.moments[-1]
    work = training_work(model.shape, last.tokens)
    sentences = [
        _(
            "The bundled model was trained on {tokens} tokens in {steps} steps: {work} multiply-adds "
            "(computed: three for each weight and token, and those of the attention)."
        ).format(tokens=numbers.count(last.tokens), steps=numbers.whole(last.step), work=numbers.count(work))
    ]
    run = experiment.started_or_recorded(NAME)
    if run.observations and not run.recorded_on:  # the hours are those of this machine
        seconds = run.observations[-1].training.seconds / run.observations[-1].tokens * last.tokens
        hours = _("At the speed of the training step above: {hours} hours on this machine (computed), {energy} kWh at {watts} W (assumed).")
        energy = numbers.decimal(seconds * watts / 3.6e6, 2)
        sentences.append(hours.format(hours=numbers.decimal(seconds / 3600, 1), energy=energy, watts=numbers.short(watts)))
    if hours := next((part for part in _PART.split(card_section(name, TRAINING)) if re.search(r"\bhours\b", part)), ""):
        sentences.append(_("The model's card says how long it took: “{card}”.").format(card=" ".join(hours.split())))
    # This small model cannot hold a longer prompt or answer.
    read, answer = min(read, 200), min(answer, 300)
    even = _("Inference has needed as many multiply-adds after **{answers}** answers of {length} tokens.")
    answers = answers_until_even(work, model.shape, read, answer)
    sentences.append(even.format(answers=numbers.count(answers), length=numbers.whole(answer)))
    st.markdown(" ".join(sentences))
