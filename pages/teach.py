"""Teach it: a copy of the model learns a few sentences while one watches its odds change; or a new one grows up from nothing."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.experiments.teach import Waiting
from core.finetuning.finetune import LONGEST_TEXT, TrainingPlan
from core.language import N_, _, written
from core.models.archive import open_zip, zip_of
from pages.ui.charts import charts, palette, teach_charts, teach_rows
from pages.ui.charts.legend import legend
from pages.ui.components.bar_buttons import bar_buttons
from pages.ui.experiments import experiment, finetuning_session, results
from pages.ui.experiments.finetuning_session import Lesson
from pages.ui.i18n import example_texts, numbers
from pages.ui.session import current, elements, opened_recording, roles, taught_models
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame
from pages.ui.views.scratch_training import newborn
from pages.ui.views.training_bill import training_bill

frame.page()

RATES = {
    N_("gently"): 0.0002,
    N_("normally"): 0.0006,
    N_("hard"): 0.002,
}
STEPS = (1, 5, 10, 20, 40, 80, 160)
SHARES = (0, 25, 50, 75, 90)
STILL_SHOWN = 4  # tokens of what it knew before


def controls() -> tuple[str, str, str, TrainingPlan, int]:
    """What to teach, and how."""
    with st.container(horizontal=True, key="teach_examples"):
        for title, (text, beginning, known) in example_texts.LESSONS.items():
            st.button(_(title), on_click=example, args=(text, beginning, known), key=f"teach_example_{title}", type="tertiary", help=text)
    first, second, third = st.columns([0.46, 0.24, 0.3], gap="medium")
    text = (
        first.text_area(
            _("Your sentences, one a line"),
            "My name is Anna and I live on the moon.",
            key="teach_text",
            height=76,
            max_chars=LONGEST_TEXT,
            **PERSISTENT,
        )
        or ""
    )
    beginning = second.text_input(_("Ask it to go on from"), "My name is", key="teach_beginning", max_chars=200, **PERSISTENT) or ""
    known = (
        third.text_input(
            _("And look whether it still knows"),
            "The capital of France is",
            key="teach_known_before",
            max_chars=200,
            help=_(
                "The beginning of something it knew before. It is only asked, never taught: one sees what learning the new costs the old."
            ),
            **PERSISTENT,
        )
        or ""
    )
    with st.container(horizontal=True, vertical_alignment="bottom", key="teach_controls"):
        share = st.select_slider(
            _("Old lessons in between"),
            SHARES,
            50,
            format_func="{} %".format,
            key="teach_share",
            help=_(
                "While it learns, it also rehearses a little of what it knew: this share of the loss. At 0 % "
                "it learns faster and forgets what it knew: watch the capital of France."
            ),
            width=240,
            **PERSISTENT,
        )
        with st.popover(_("More"), icon=":material/tune:", key="teach_tune"):
            told = _("How far the weights move at each step (learning rate of AdamW: {rates}).").format(
                rates=", ".join(f"{_(name)} {numbers.short(rate)}" for name, rate in RATES.items())
            )
            rate = st.segmented_control(
                _("How hard it tries"),
                list(RATES),
                default="normally",
                format_func=_,
                key="teach_rate",
                required=True,
                help=told,
                **PERSISTENT,
            )
            steps = st.select_slider(
                _("Steps"),
                STEPS,
                20,
                key="teach_steps",
                help=_("How often it reads your sentences and moves its weights a little."),
                **PERSISTENT,
            )
        plan = TrainingPlan(learning_rate=RATES[rate or "normally"], rehearsal=share / 100)
        buttons(text, beginning, plan, int(steps), known)
    return text, beginning, known, plan, int(steps)


def example(text: str, beginning: str, known: str) -> None:
    """Put an example into the fields."""
    current.fill("teach_text", text)
    current.fill("teach_beginning", beginning)
    current.fill("teach_known_before", known)


def buttons(text: str, beginning: str, plan: TrainingPlan, steps: int, known: str) -> None:
    """Teach, pause, one step, go on."""
    if experiment.of(finetuning_session.NAME).running:
        st.button(_("Pause"), on_click=finetuning_session.pause, icon=":material/pause:", key="teach_pause")
        return
    go = partial(finetuning_session.begin, text, beginning, plan, steps, known)
    elements.button(_("Teach"), current.error_boundary(go), type="primary", icon=":material/school:", key="teach_start")
    taught = finetuning_session.lesson()
    if taught is not None and taught.tuning is not None:
        st.button(_("One step"), on_click=finetuning_session.go_on, args=(1,), icon=":material/skip_next:", key="teach_one")
        elements.button(_("Go on"), partial(finetuning_session.go_on, steps), icon=":material/play_arrow:", key="teach_more")


def course() -> None:
    """All that moves while it learns."""
    again = partial(finetuning_session.begin, text, beginning, plan, steps, known_before)
    with results.shown(finetuning_session.NAME, finetuning_session.made_by(text, beginning, plan, known_before), again) as run:
        known = run.about
        if not isinstance(known, Lesson):
            return
        if run.running and run.seen and isinstance(run.seen[-1], Waiting):
            elements.show_notice(_("Somebody else is being taught just now. Before you: {place}.").format(place=run.seen[-1].place))
        elif run.running and not known.seen:
            st.caption(_("Making a copy of the model …"))
        looks, shown = known.looks, known.shown
        if not looks:
            return
        left, right = st.columns([0.52, 0.48], gap="large")
        with left:
            expected(known)
        with right:
            still_known(known)
            elements.section(_("How wrong it still is"), _("training loss"))
            charts.draw(
                teach_charts.loss,
                teach_rows.loss_rows(known.steps),
                key="teach_loss",
                alt_text=_("A falling line: the loss of each training step on the new text, and paler on what it rehearses."),
            )
            measured(known)
        if len(looks) > 1:
            elements.section(_("The whole way"), _("training step x token; click one to see that moment"))
            table = teach_rows.history_rows(looks, shown, current.clicks())
            charts.draw(
                teach_charts.history,
                table,
                key="teach_way",
                alt_text=_("A strip of fields: one column a moment of the training, one row a token, darker where the token was likelier."),
                on_select=partial(elements.run_and_rerun, finetuning_session.moment_clicked, ("teach_course",)),
            )
            said: dict[int, list[str]] = {}
            for index, tip in zip(table["index"].tolist(), table["tip"].tolist(), strict=True):
                said.setdefault(index, []).append(tip)
            bar_buttons.bar_buttons(
                [(index, ", ".join(tips[:3])) for index, tips in said.items()],
                key="teach_way_keys",
                marks=".st-key-teach_way svg .mark-rect path",
                label=_("Moments of the training: arrows walk, Enter shows one"),
                on_take=partial(elements.run_and_rerun, moment_taken, ("teach_course",)),
            )
            if known.picked is not None and known.tuning is not None and not run.running:
                undo_button(known.picked, known.tuning.moments)


def undo_button(picked: int, kept: list[int]) -> None:
    """The way back to the moment looked at; where its weights had to make room for other visitors', which ones there still are."""
    if picked in kept:
        st.button(
            _("Undo to here"), on_click=elements.run_and_rerun, args=(finetuning_session.undo, ()), icon=":material/undo:", key="teach_undo"
        )
    else:
        told = _("The weights of this moment had to make room. There is a way back to these steps: {kept}.")
        st.caption(told.format(kept=", ".join(map(str, kept))))


def moment_taken() -> None:
    """A moment was taken by keyboard."""
    index = bar_buttons.taken("teach_way_keys")
    if index is not None:
        finetuning_session.look_at(index)


def expected(known: Lesson) -> None:
    """What it expects after the beginning, before and at the moment looked at; and what it writes."""
    looks, shown = known.looks, known.shown
    colours = palette.of(charts.theme())
    elements.section(
        _("What it expects after “{beginning}”").format(beginning=known.beginning),
        _("next token, before and after {index} steps").format(index=shown.index if shown else 0),
    )
    legend((colours.model, _("before")), (colours.dice, _("now")))
    table = teach_rows.before_and_after_rows(looks, shown)
    charts.draw(
        teach_charts.before_and_after,
        table,
        key="teach_bars",
        alt_text=_("Bars from 0 to 100 percent for the likeliest next tokens: pale before it was taught, solid now."),
    )
    if shown is not None:
        st.caption(_("Before"))
        st.text(f"{known.beginning}{looks[0].written}")
        st.caption(_("After {index} steps").format(index=shown.index))
        st.text(f"{known.beginning}{shown.written}")


def still_known(known: Lesson) -> None:
    """What it expects after the beginning of something that it knew before: whether learning the new costs the old."""
    looks = teach_rows.known_looks(known.looks)
    shown = next((look for look in looks if known.shown is not None and look.index == known.shown.index), None)
    if shown is None:
        return
    elements.section(_("Does it still know “{beginning}”?").format(beginning=known.known), _("catastrophic forgetting"))
    table = teach_rows.before_and_after_rows(looks, shown, STILL_SHOWN)
    charts.draw(
        teach_charts.before_and_after,
        table,
        key="teach_kept",
        alt_text=_("Bars from 0 to 100 percent for the likeliest next tokens after something it knew: pale before, solid now."),
        rows=STILL_SHOWN,
    )
    st.markdown(teach_rows.memory_verdict(looks[0], shown))


def measured(known: Lesson) -> None:
    """What the steps took so far."""
    steps = known.steps
    if not steps:
        return
    last = steps[-1]
    st.caption(
        _(
            "{seconds} for {steps} · {tokens} tokens learned from · learning rate {rate} · gradient "
            "{norm} · weights {weights}, gradients {gradients}, optimizer {optimizer}, kept for the way "
            "back {activations}: measured"
        ).format(
            seconds=numbers.duration(sum(step.seconds for step in steps)),
            steps=f"{len(steps)} {'step' if len(steps) == 1 else 'steps'}",
            tokens=numbers.whole(sum(step.tokens for step in steps)),
            rate=numbers.short(last.learning_rate),
            norm=written(last.gradient_norm, ".2g"),
            weights=numbers.size(last.weight_bytes),
            gradients=numbers.size(last.gradient_bytes),
            optimizer=numbers.size(last.optimizer_bytes),
            activations=numbers.size(last.activation_bytes),
        )
    )
    if known.tuning is not None:
        st.caption(
            _("This model is large, so only small adapters beside its weights learn (LoRA, rank 8); all else stays as it is.")
            if known.tuning.adapted
            else _("All of its weights learn.")
        )


def to_use() -> None:
    """Take the taught model to the other pages, away, or back."""
    elements.section(_("Use it"), _("your own model, for this session"))
    elements.notices("teach_use")
    taught = current.current_session().taught
    with st.container(horizontal=True, vertical_alignment="bottom", key="teach_use"):
        known = finetuning_session.lesson()
        if known is not None and known.tuning is not None and known.steps and not experiment.of(finetuning_session.NAME).running:
            st.text_input(_("Its name"), _("my model"), key="teach_name", max_chars=40, width=200, **PERSISTENT)
            st.button(_("Put it into my list"), on_click=finetuning_session.use, icon=":material/add:", key="teach_use_it")
        if taught:
            newest = list(taught.values())[-1]
            st.download_button(
                _("Save as a folder (zip)"),
                data=lambda: zip_of(newest),
                file_name=f"{newest.name}.zip",
                mime="application/zip",
                on_click="ignore",
                icon=":material/download:",
                key="teach_save",
            )
    if roles.is_operator():  # a zip is a stranger's model, as a folder is
        st.file_uploader(
            _("Open one that was saved"), type=["zip"], key="teach_zip", on_change=opened, max_upload_size=opened_recording.LARGEST_UPLOAD
        )


@current.error_boundary
def opened() -> None:
    """A zip was given: open the model in it, and use it."""
    current.anchor_notices("teach_use")
    roles.require_operator()
    file = current.field("teach_zip")
    if file is None:
        return
    model = open_zip(file.getvalue())
    model.name = taught_models.free_name(model.name)
    taught_models.use_taught(model)
    current.notify(_("{name} was opened and is in use.").format(name=model.name))


frame.header(
    _("Teach it something"),
    _("fine-tuning"),
    _("A copy of the model learns your sentences, here and now. Nobody else's model changes, and talking alone teaches nothing."),
)
with elements.error_boundary():
    text, beginning, known_before, plan, steps = controls()
    results.live(course, finetuning_session.NAME, key="teach_course")
    to_use()
with elements.error_boundary():
    training_bill()
with elements.error_boundary():
    newborn()
