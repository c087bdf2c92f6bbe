"""Teach it: a copy of the model learns a few sentences while one watches its odds change; or a new one grows up from nothing."""

from __future__ import annotations

from functools import partial

import streamlit as st

from core.labs.teach import Waiting
from core.models.archive import open_zip, zip_of
from core.training.finetune import LONGEST_TEXT, TrainingPlan
from pages.parts.charts import charts, teach_charts, teach_rows
from pages.parts.components.bar_buttons import bar_buttons
from pages.parts.components.newborn.newborn import newborn
from pages.parts.components.training_bill.training_bill import training_bill
from pages.parts.layout import frame, palette, results
from pages.parts.runtime import experiment, lesson
from pages.parts.runtime.lesson import Lesson
from pages.parts.session import current, opened_recording, roles, taught_models
from pages.parts.session.state import STAYS
from pages.parts.text import access_words, numbers
from pages.parts.text import teach_words as words

frame.page()
STEPS = (1, 5, 10, 20, 40, 80, 160)
SHARES = (0, 25, 50, 75, 90)
STILL_SHOWN = 4  # tokens of what it knew before


def controls() -> tuple[str, str, str, TrainingPlan, int]:
    """What to teach, and how."""
    with st.container(horizontal=True, key="teach_examples"):
        for title, (text, beginning, known) in words.EXAMPLES.items():
            st.button(title, on_click=example, args=(text, beginning, known), key=f"teach_example_{title}", type="tertiary", help=text)
    first, second, third = st.columns([0.46, 0.24, 0.3], gap="medium")
    text = first.text_area(words.TEXT, words.FIRST_TEXT, key="teach_text", height=76, max_chars=LONGEST_TEXT, **STAYS) or ""
    beginning = second.text_input(words.BEGINNING, words.FIRST_BEGINNING, key="teach_beginning", max_chars=200, **STAYS) or ""
    known = third.text_input(words.KNOWN, words.FIRST_KNOWN, key="teach_known_before", max_chars=200, help=words.KNOWN_HELP, **STAYS) or ""
    with st.container(horizontal=True, vertical_alignment="bottom", key="teach_controls"):
        share = st.select_slider(
            words.REHEARSAL, SHARES, 50, format_func="{} %".format, key="teach_share", help=words.REHEARSAL_HELP, width=240, **STAYS
        )
        with st.popover(words.MORE, icon=":material/tune:", key="teach_tune"):
            told = words.RATE_HELP.format(rates=", ".join(f"{name} {rate:g}" for name, rate in words.RATES.items()))
            rate = st.segmented_control(
                words.RATE, list(words.RATES), default="normally", key="teach_rate", required=True, help=told, **STAYS
            )
            steps = st.select_slider(words.STEPS, STEPS, 20, key="teach_steps", help=words.STEPS_HELP, **STAYS)
        plan = TrainingPlan(learning_rate=words.RATES[rate or "normally"], rehearsal=share / 100)
        buttons(text, beginning, plan, int(steps), known)
    return text, beginning, known, plan, int(steps)


def example(text: str, beginning: str, known: str) -> None:
    """Put an example into the fields."""
    current.fill("teach_text", text)
    current.fill("teach_beginning", beginning)
    current.fill("teach_known_before", known)


def buttons(text: str, beginning: str, plan: TrainingPlan, steps: int, known: str) -> None:
    """Teach, pause, one step, go on."""
    if experiment.of(lesson.NAME).running:
        st.button(words.PAUSE, on_click=lesson.pause, icon=":material/pause:", key="teach_pause")
        return
    go = partial(lesson.begin, text, beginning, plan, steps, known)
    frame.button(words.TEACH, current.error_boundary(go), type="primary", icon=":material/school:", key="teach_start")
    taught = lesson.lesson()
    if taught is not None and taught.tuning is not None:
        st.button(words.ONE_STEP, on_click=lesson.go_on, args=(1,), icon=":material/skip_next:", key="teach_one")
        frame.button(words.GO_ON, partial(lesson.go_on, steps), icon=":material/play_arrow:", key="teach_more")


def course() -> None:
    """All that moves while it learns."""
    again = partial(lesson.begin, text, beginning, plan, steps, known_before)
    with results.shown(lesson.NAME, lesson.made_by(text, beginning, plan, known_before), again) as run:
        known = run.about
        if not isinstance(known, Lesson):
            return
        if run.running and run.seen and isinstance(run.seen[-1], Waiting):
            frame.show_notice(words.WAITING.format(place=run.seen[-1].place))
        elif run.running and not known.seen:
            st.caption(words.COPYING)
        looks, shown = known.looks, known.shown
        if not looks:
            return
        left, right = st.columns([0.52, 0.48], gap="large")
        with left:
            expected(known)
        with right:
            still_known(known)
            frame.section(words.LOSS, words.LOSS_TERM)
            charts.draw(teach_charts.loss, teach_rows.losses(known.steps), key="teach_loss", alt_text=words.LOSS_ALT)
            measured(known)
        if len(looks) > 1:
            frame.section(words.WAY, words.WAY_TERM)
            table = teach_rows.way(looks, shown, current.clicks())
            charts.draw(
                teach_charts.way,
                table,
                key="teach_way",
                alt_text=words.WAY_ALT,
                on_select=partial(frame.then, lesson.moment_clicked, ("teach_course",)),
            )
            shares = table[["index", "tip"]].groupby("index", sort=False)["tip"].apply(lambda tips: ", ".join(tips[:3]))
            bar_buttons.bar_buttons(
                [(int(index), said) for index, said in shares.items()],
                key="teach_way_keys",
                marks=".st-key-teach_way svg .mark-rect path",
                label=access_words.MOMENTS_LABEL,
                on_take=partial(frame.then, moment_taken, ("teach_course",)),
            )
            if known.picked is not None and known.tuning is not None and not run.running:
                undo_button(known.picked, known.tuning.moments)


def undo_button(picked: int, kept: list[int]) -> None:
    """The way back to the moment looked at; where its weights had to make room for other visitors', which ones there still are."""
    if picked in kept:
        st.button(words.UNDO, on_click=frame.then, args=(lesson.undo, ()), icon=":material/undo:", key="teach_undo")
    else:
        st.caption(words.NOT_KEPT.format(kept=", ".join(map(str, kept))))


def moment_taken() -> None:
    """A moment was taken by keyboard."""
    index = bar_buttons.taken("teach_way_keys")
    if index is not None:
        lesson.look_at(index)


def expected(known: Lesson) -> None:
    """What it expects after the beginning, before and at the moment looked at; and what it writes."""
    looks, shown = known.looks, known.shown
    colours = palette.of(charts.theme())
    frame.section(words.BARS.format(beginning=known.beginning), words.BARS_TERM.format(index=shown.index if shown else 0))
    frame.legend((colours.model, words.BEFORE), (colours.dice, words.NOW))
    table = teach_rows.bars(looks, shown)
    charts.draw(teach_charts.before_and_now, table, key="teach_bars", alt_text=words.BARS_ALT)
    if shown is not None:
        st.caption(words.WROTE_BEFORE)
        st.text(f"{known.beginning}{looks[0].written}")
        st.caption(words.WROTE_NOW.format(index=shown.index))
        st.text(f"{known.beginning}{shown.written}")


def still_known(known: Lesson) -> None:
    """What it expects after the beginning of something that it knew before: whether learning the new costs the old."""
    looks = teach_rows.kept(known.looks)
    shown = next((look for look in looks if known.shown is not None and look.index == known.shown.index), None)
    if shown is None:
        return
    frame.section(words.KEPT.format(beginning=known.known), words.KEPT_TERM)
    table = teach_rows.bars(looks, shown, STILL_SHOWN)
    charts.draw(teach_charts.before_and_now, table, key="teach_kept", alt_text=words.KEPT_ALT, rows=STILL_SHOWN)
    st.markdown(teach_rows.memory(looks[0], shown))


def measured(known: Lesson) -> None:
    """What the steps took so far."""
    steps = known.steps
    if not steps:
        return
    last = steps[-1]
    st.caption(
        words.MADE.format(
            seconds=numbers.duration(sum(step.seconds for step in steps)),
            steps=f"{len(steps)} {'step' if len(steps) == 1 else 'steps'}",
            tokens=f"{sum(step.tokens for step in steps):,}",
            rate=f"{last.learning_rate:g}",
            norm=f"{last.gradient_norm:.2g}",
            weights=numbers.size(last.weight_bytes),
            gradients=numbers.size(last.gradient_bytes),
            optimizer=numbers.size(last.optimizer_bytes),
            activations=numbers.size(last.activation_bytes),
        )
    )
    if known.tuning is not None:
        st.caption(words.ADAPTED if known.tuning.adapted else words.WHOLE)


def to_use() -> None:
    """Take the taught model to the other pages, away, or back."""
    frame.section(words.USE, words.USE_TERM)
    frame.notices("teach_use")
    taught = current.current_session().taught
    with st.container(horizontal=True, vertical_alignment="bottom", key="teach_use"):
        known = lesson.lesson()
        if known is not None and known.tuning is not None and known.steps and not experiment.of(lesson.NAME).running:
            st.text_input(words.USE_NAME, "my model", key="teach_name", max_chars=40, width=200, **STAYS)
            st.button(words.USE_IT, on_click=lesson.use, icon=":material/add:", key="teach_use_it")
        if taught:
            newest = list(taught.values())[-1]
            st.download_button(
                words.SAVE,
                data=lambda: zip_of(newest),
                file_name=f"{newest.name}.zip",
                mime="application/zip",
                on_click="ignore",
                icon=":material/download:",
                key="teach_save",
            )
    if roles.is_operator():  # a zip is a stranger's model, as a folder is
        st.file_uploader(words.OPEN, type=["zip"], key="teach_zip", on_change=opened, max_upload_size=opened_recording.LARGEST_UPLOAD)


@current.error_boundary
def opened() -> None:
    """A zip was given: open the model in it, and use it."""
    current.at("teach_use")
    roles.require_operator()
    file = current.field("teach_zip")
    if file is None:
        return
    model = open_zip(file.getvalue())
    model.name = taught_models.free_name(model.name)
    taught_models.use_taught(model)
    current.notify(words.OPENED.format(name=model.name))


frame.header(words.TITLE, words.TERM, words.LEAD)
with frame.error_boundary():
    text, beginning, known_before, plan, steps = controls()
    results.live(course, lesson.NAME, key="teach_course")
    to_use()
with frame.error_boundary():
    training_bill()
with frame.error_boundary():
    newborn()
