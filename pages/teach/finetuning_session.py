"""A visitor's fine-tuning: its state, and the actions of the page's buttons."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from core.errors import InputError
from core.experiments.teach import Probe, look, teach
from core.finetuning.finetune import FineTuning, TrainingPlan, TrainingStep, rehearsal_texts
from pages.teach.finetuning_record import Lesson
from pages.ui.experiments import experiment
from pages.ui.i18n.translation import _
from pages.ui.session import current, own_models, provenance, selection
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import anchor_notices, notify

NAME = "teach"
LONGEST_STEP = 5.0  # seconds that a pause waits


def lesson() -> Lesson | None:
    """Return this visitor's fine-tuning, None before the first."""
    about = experiment.started_or_recorded(NAME).about
    return about if isinstance(about, Lesson) else None


def made_by(text: str, beginning: str, plan: TrainingPlan, known_before: str = "") -> provenance.Provenance:
    """Return the provenance of a fine-tuning."""
    last = lesson()
    taught_here = last is not None and current.model_name() in last.used  # selecting the trained copy does not outdate the result
    return provenance.now(
        model=last.model.name if last is not None and taught_here else None,
        prompt=False,
        settings=False,
        sentences=text,
        rehearsal=plan.rehearsal,
        taught_beginning=beginning,
        known_beginning=known_before,
        rate=plan.learning_rate,
    )


@action_boundary
def begin(text: str, beginning: str, plan: TrainingPlan, steps: int, known_before: str = "") -> None:
    """Train a new copy of the model."""
    anchor_notices(NAME)
    if not beginning.strip():
        raise InputError(_("Enter a prompt to test, such as “My name is”."))
    old = lesson()
    fresh = Lesson(current.model(), text, beginning, plan, known_before)
    _run(fresh, steps, made_by(text, beginning, plan, known_before))
    if old is not None and old.tuning is not None:
        old.tuning.release()


@action_boundary
def go_on(steps: int) -> None:
    """Train the current copy for more steps."""
    anchor_notices(NAME)
    current_lesson = lesson()
    if current_lesson is not None and not experiment.started_or_recorded(NAME).running:
        current_lesson.picked = None
        _run(current_lesson, steps, experiment.started_or_recorded(NAME).made_by)


@action_boundary
def pause() -> None:
    """Stop after the current step, and wait for it, so that the page shows it."""
    experiment.stop(NAME)
    experiment.wait(NAME, LONGEST_STEP)


@action_boundary
def undo() -> None:
    """Undo all training steps after the look that is shown."""
    anchor_notices(NAME)
    current_lesson = lesson()
    if (
        current_lesson is None
        or current_lesson.tuning is None
        or current_lesson.picked is None
        or experiment.started_or_recorded(NAME).running
    ):
        return
    current_lesson.tuning.undo(current_lesson.picked)
    current_lesson.seen = [event for event in current_lesson.seen if event.index <= current_lesson.picked]
    current_lesson.picked = None


@action_boundary
def moment_clicked() -> None:
    """Show the look whose field in the strip was clicked."""
    index = selection.picked("teach_way").get("index")
    if isinstance(index, int | float):
        look_at(int(index))


def look_at(index: int) -> None:
    """Show the look after `index` steps, if there is one."""
    current.count_click()  # a new key for the chart, so that it reports the same click again
    current_lesson = lesson()
    if current_lesson is not None and index in {probe.index for probe in current_lesson.looks}:
        current_lesson.picked = index


@action_boundary
def use() -> None:
    """Add the trained copy to the visitor's models under the name in the field, and select it. For `on_click`."""
    anchor_notices("teach_use")
    current_lesson = lesson()
    if current_lesson is None or current_lesson.tuning is None:
        notify(_("Train the model first."))
        return
    taught = current_lesson.tuning.taught(own_models.free_name(current.field("teach_name") or ""))
    own_models.use_taught(taught)
    current_lesson.used.add(taught.name)
    notify(_("{name} was added to your models and is used on every page.").format(name=taught.name))


def _run(now: Lesson, steps: int, by: provenance.Provenance | None) -> None:
    def work() -> Iterator[Any]:
        if now.tuning is None:
            first = look(now.model, now.beginning, 0, now.known)  # in view while the copy is made
            now.seen.append(first)
            yield first
            old = rehearsal_texts(now.model) if now.plan.rehearsal else []
            now.tuning = FineTuning(now.model, now.text, now.plan, old)
        for seen in teach(now.tuning, now.beginning, steps, known=now.known):
            if isinstance(seen, Probe | TrainingStep):
                now.seen.append(seen)
            yield seen

    experiment.start(NAME, work, by, now, of_page=True)
