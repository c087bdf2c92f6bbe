"""Teach a sentence: a copy of the model is fine-tuned while its probabilities are drawn, and can then be used on every page."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.finetuning.finetune import LONGEST_TEXT, TrainingPlan
from core.models.archive import open_zip, zip_of
from core.sources.capabilities import Can
from pages.teach import finetuning_session, lesson_view
from pages.ui.experiments import experiment, results
from pages.ui.i18n import numbers
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.translation import N_, _
from pages.ui.session import elements, operator_role, own_models, upload_field
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import action_boundary, drawing_boundary
from pages.ui.session.notices import anchor_notices, notify
from pages.ui.session.offered_files import save_button
from pages.ui.shell import frame

frame.page()

RATES = {N_("low"): 0.0002, N_("medium"): 0.0006, N_("high"): 0.002}
STEPS = (1, 5, 10, 20, 40, 80, 160)
SHARES = (0, 25, 50, 75, 90)


def text_fields() -> tuple[str, str, str]:
    """Draw the examples and the fields, and return the sentences, the prompt and the prompt about something known."""
    with st.container(horizontal=True, key="teach_examples"):
        elements.examples(EXAMPLES.lessons, ("teach_text", "teach_beginning", "teach_known_before"), "teach_example", type="tertiary")
    first, second, third = st.columns([0.46, 0.24, 0.3], gap="medium")
    widget_options = {"key": "teach_text", "height": 76, **PERSISTENT}
    text = first.text_area(
        _("Your sentences, one per line"), "My name is Anna and I live on the moon.", max_chars=LONGEST_TEXT, **widget_options
    )
    beginning = second.text_input(_("Prompt"), "My name is", key="teach_beginning", max_chars=200, **PERSISTENT)
    asked = _("A prompt about something the model knew before. It is not trained on, so it shows what the training makes the model forget.")
    widget_options = {"key": "teach_known_before", "help": asked, **PERSISTENT}
    known_before = third.text_input(_("Prompt about what it knew"), "The capital of France is", max_chars=200, **widget_options)
    return text or "", beginning or "", known_before or ""


def plan_controls() -> tuple[TrainingPlan, int]:
    """Draw the controls of the training, and return its plan and the number of steps."""
    rehearsal = _("This share of the loss is measured on texts the model knows. At 0 % it learns faster and forgets what it knew.")
    widget_options = {"format_func": "{} %".format, "help": rehearsal, "width": 240, **PERSISTENT}
    share = st.select_slider(_("Share of old training texts"), SHARES, 50, key="teach_share", **widget_options)
    with st.popover(_("More"), icon=":material/tune:", key="teach_tune"):
        rates = ", ".join(f"{_(name)} {numbers.short(rate)}" for name, rate in RATES.items())
        step_size = _("How far the weights move at each step (learning rate of AdamW: {rates}).").format(rates=rates)
        rate = elements.choice(_("Learning rate"), list(RATES), "medium", "teach_rate", format_func=_, help=step_size)
        about = _("How often the model reads your sentences and changes its weights.")
        steps = st.select_slider(_("Steps"), STEPS, 20, key="teach_steps", help=about, **PERSISTENT)
    return TrainingPlan(learning_rate=RATES[rate], rehearsal=share / 100), int(steps)


def buttons(begin: partial[None], steps: int) -> None:
    """Draw the buttons: teach, pause, one step, continue."""
    if experiment.started_or_recorded(finetuning_session.NAME).running:
        st.button(_("Pause"), on_click=finetuning_session.pause, icon=":material/pause:", key="teach_pause")
        return
    elements.button(_("Teach"), begin, type="primary", icon=":material/school:", key="teach_start")
    taught = finetuning_session.lesson()
    if taught is not None and taught.tuning is not None:
        st.button(_("One step"), on_click=finetuning_session.go_on, args=(1,), icon=":material/skip_next:", key="teach_one")
        elements.button(_("Continue"), partial(finetuning_session.go_on, steps), icon=":material/play_arrow:", key="teach_more")


def use_and_save() -> None:
    """Draw the buttons that put the taught model into the visitor's list, save it and open a saved one."""
    elements.section(_("Use it"), _("your own model, for this session"))
    elements.notices("teach_use")
    taught = own_models.taught()
    with st.container(horizontal=True, vertical_alignment="bottom", key="teach_use"):
        current_lesson = finetuning_session.lesson()
        if (
            current_lesson is not None
            and current_lesson.tuning is not None
            and current_lesson.steps
            and not experiment.started_or_recorded(finetuning_session.NAME).running
        ):
            st.text_input(_("Its name"), _("my model"), key="teach_name", max_chars=40, width=200, **PERSISTENT)
            st.button(_("Add to my models"), on_click=finetuning_session.use, icon=":material/add:", key="teach_use_it")
        with_weights = [model for model in taught.values() if Can.NETWORK in model.can]
        if with_weights:
            newest = with_weights[-1]
            save_button(_("Save as a folder (zip)"), lambda: zip_of(newest), f"{newest.name}.zip", key="teach_save")
    if operator_role.is_operator():  # the zip can be anybody's model, so only the operator opens one
        upload_field.upload_field(_("Open a saved model"), "teach_zip", ["zip"], open_saved)


@action_boundary
def open_saved() -> None:
    """Open the model in the uploaded zip, and use it."""
    anchor_notices("teach_use")
    operator_role.require_operator()
    data = upload_field.take("teach_zip")
    if data is None:
        return
    model = open_zip(data)
    model.name = own_models.free_name(model.name)
    own_models.use_taught(model)
    notify(_("{name} is open and in use.").format(name=model.name))


frame.header(
    _("Teach it something"),
    _("fine-tuning"),
    _(
        "A copy of the model is trained on your sentences. No other visitor's model changes. Text on "
        "the page Watch does not train the model."
    ),
)
with drawing_boundary():
    text, beginning, known = text_fields()
    with st.container(horizontal=True, vertical_alignment="bottom", key="teach_controls"):
        plan, steps = plan_controls()
        begin = partial(finetuning_session.begin, text, beginning, plan, steps, known)
        buttons(begin, steps)
    now = finetuning_session.made_by(text, beginning, plan, known)
    results.live(partial(lesson_view.draw, now, begin), finetuning_session.NAME, key="teach_course")
    use_and_save()
