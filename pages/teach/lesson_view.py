"""What Teach draws: probabilities before and now, what the model still knows, the loss, and the moments of the training."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import streamlit as st

from core.experiments.shared.training_queue import Waiting
from pages.teach import finetuning_session, teach_charts
from pages.teach.finetuning_record import Lesson
from pages.ui.charts import loss_chart
from pages.ui.charts.css_colours import legend
from pages.ui.experiments import results
from pages.ui.i18n import numbers
from pages.ui.i18n.numbers import written
from pages.ui.i18n.translation import _, ngettext
from pages.ui.session import current, elements, notices
from pages.ui.session.provenance import Provenance
from pages.ui.views import chart
from pages.ui.views.training_queue import waiting

STILL_SHOWN = 4  # tokens of what the model knew before


def draw(now: Provenance, begin: Callable[[], None]) -> None:
    """Draw the lesson as it is now."""
    with results.shown(finetuning_session.NAME, now, begin) as run:
        lesson = run.about
        if not isinstance(lesson, Lesson):
            return
        if run.running and run.observations and isinstance(run.observations[-1], Waiting):
            notices.show_notice(waiting(run.observations[-1]))
        elif run.running and lesson.tuning is None:
            st.caption(_("Making a copy of the model …"))
        if not lesson.looks:
            return
        left, right = st.columns([0.52, 0.48], gap="large")
        with left:
            expected(lesson)
        with right, st.container(key="detail_teach_beside"):
            still_known(lesson)
            if lesson.steps:
                error(lesson)
            measured(lesson)
        if len(lesson.looks) > 1:
            with st.container(key="detail_teach_moments"):
                moments(lesson, run.running)


def error(lesson: Lesson) -> None:
    """Draw the loss of every training step."""
    elements.section(_("How large is the error?"), _("training loss"))
    legend(("dice", _("your text")), ("model", _("old training texts")))
    alt_text = _("A falling line: the loss of each training step on the new text, and paler on the old training texts.")
    rows = teach_charts.loss_rows(lesson.steps)
    chart.draw(loss_chart.loss, rows, key="teach_loss", alt_text=alt_text, title=_("How large is the error?"))


def expected(lesson: Lesson) -> None:
    """Draw the next-token probabilities after the prompt, before and at the moment looked at, and both texts."""
    looks, shown = lesson.looks, lesson.shown
    assert shown is not None
    title = _("What it expects after “{beginning}”").format(beginning=lesson.beginning)
    elements.section(title, _("next token, before and after {index} steps").format(index=shown.index))
    for name, probe in ((_("Before"), looks[0]), (_("After {index} steps").format(index=shown.index), shown)):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(name, width="content")
            st.text(f"{lesson.beginning}{probe.written}", width="content")
    kinds = (("model", _("before")), ("dice", _("now")))
    legend(*kinds)
    alt_text = _("Bars from 0 to 100 percent for the likeliest next tokens: pale before the training, solid now.")
    chart.draw(
        teach_charts.before_and_after,
        teach_charts.before_and_after_rows(looks, shown),
        key="teach_bars",
        alt_text=alt_text,
        title=title,
        legend=kinds,
    )


def still_known(lesson: Lesson) -> None:
    """Draw the probabilities after the prompt about something that the model knew before."""
    looks = teach_charts.known_looks(lesson.looks)
    shown = next((probe for probe in looks if lesson.shown is not None and probe.index == lesson.shown.index), None)
    if shown is None:
        return
    title = _("Does it still know “{beginning}”?").format(beginning=lesson.known)
    elements.section(title, _("catastrophic forgetting"))
    table = teach_charts.before_and_after_rows(looks, shown, STILL_SHOWN)
    alt_text = _("Bars from 0 to 100 percent for the likeliest next tokens after a known prompt: pale before, solid now.")
    chart.draw(teach_charts.before_and_after, table, key="teach_kept", title=title, alt_text=alt_text, rows=STILL_SHOWN)
    st.markdown(teach_charts.memory_verdict(looks[0], shown))


def measured(lesson: Lesson) -> None:
    """Draw the time and the memory of the steps so far."""
    steps = lesson.steps
    if not steps:
        return
    last = steps[-1]
    st.caption(
        _(
            "Measured: {seconds} for {steps} · {tokens} tokens · learning rate {rate} · gradient norm {norm} · "
            "weights {weights}, gradients {gradients}, optimizer {optimizer}, activations {activations}"
        ).format(
            seconds=numbers.duration(sum(step.seconds for step in steps)),
            steps=ngettext("{count} step", "{count} steps", len(steps)).format(count=len(steps)),
            tokens=numbers.whole(sum(step.tokens for step in steps)),
            rate=numbers.short(last.learning_rate),
            norm=written(last.gradient_norm, ".2g"),
            weights=numbers.size(last.weight_bytes),
            gradients=numbers.size(last.gradient_bytes),
            optimizer=numbers.size(last.optimizer_bytes),
            activations=numbers.size(last.activation_bytes),
        )
    )
    if lesson.tuning is not None and lesson.tuning.adapted:
        st.caption(_("This model is large, so only small adapters beside its weights are trained (LoRA, rank 8)."))


def moments(lesson: Lesson, running: bool) -> None:
    """Draw the moments of the training as a strip; a click shows that moment, and a button goes back to it."""
    elements.section(_("Probability of each token during the training"), _("training step × token; click one to see that moment"))
    table = teach_charts.history_rows(lesson.looks, lesson.shown, current.clicks())
    clicked = partial(elements.run_and_rerun, finetuning_session.moment_clicked, ("teach_course",))
    alt_text = _("A strip of fields: one column per moment of the training, one row per token, darker where the token was likelier.")
    chart.draw(
        teach_charts.history,
        table,
        key="teach_way",
        alt_text=alt_text,
        on_select=clicked,
        title=_("Probability of each token during the training"),
    )
    indexes = [probe.index for probe in lesson.looks]
    st.session_state["teach_moment"] = indexes[-1] if lesson.shown is None else lesson.shown.index
    st.select_slider(
        _("Moment of the training"),
        indexes,
        key="teach_moment",
        on_change=partial(elements.run_and_rerun, moment_taken, ("teach_course",)),
        format_func=lambda index: ngettext("{count} step", "{count} steps", index).format(count=index),
        label_visibility="collapsed",
    )
    if lesson.picked is None or lesson.tuning is None or running:
        return
    if lesson.picked in lesson.tuning.moments:
        undo = partial(elements.run_and_rerun, finetuning_session.undo, ())
        st.button(_("Undo to here"), on_click=undo, icon=":material/undo:", key="teach_undo")
    else:
        stored = ", ".join(map(str, lesson.tuning.moments))
        st.caption(_("The weights of this moment are no longer stored. Stored steps: {kept}.").format(kept=stored))


def moment_taken() -> None:
    """Show the moment that was chosen with the slider."""
    finetuning_session.look_at(int(current.field("teach_moment")))
