"""A small and a large model on the same text: probabilities of both, a cascade of both, and what the small one learned."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.experiments.pupil.cascade import LARGE_ONLY, SMALL_ONLY, cascade
from core.experiments.pupil.student_report import student_reports
from core.experiments.pupil.two_models import ModelFigures, judge
from pages.pupil import pupil_view
from pages.ui.experiments import results
from pages.ui.i18n import example_texts
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _
from pages.ui.server import offered_models
from pages.ui.session import current, elements, notices, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.own_models import follow_model
from pages.ui.shell import frame, prompt_field

frame.page()
NAME, CASCADE, SCHOOL = "pupil", "pupil_cascade", "pupil_school"
LENGTHS = (24, 48, 96)
FACTS = 60  # questions of the evaluation
WRITERS = (N_("Pupil"), N_("Teacher"))


def choose_models(names: list[str]) -> tuple[str, str]:
    """Draw the choice of both models, and return the names of the large and the small one."""
    widget_options = {"format_func": offered_models.title, "width": 200, **PERSISTENT}
    usual = names.index(current.model_name()) if not current.model_name().endswith("-mini") else 0
    follow_model("pupil_large", names[usual])
    large = st.selectbox(_("Teacher"), names, index=usual, key="pupil_large", help=_("The larger of the two models."), **widget_options)
    others = [name for name in names if name != large]
    mini = others.index(f"{large}-mini") if f"{large}-mini" in others else 0
    follow_model("pupil_small", others[mini])
    distilled = _("The smaller of the two models. The bundled mini was trained on the probabilities of the bundled storyteller.")
    return large, st.selectbox(_("Pupil"), others, index=mini, key="pupil_small", help=distilled, **widget_options)


def judged_text(large: str, small: str, length: int, writer: str, container: DeltaGenerator) -> None:
    """Draw a text that one model writes and the other scores. container: of the button."""
    other = small if writer == large else large
    now = provenance.now(model=large, pupil=small, writer=writer, length=length)

    def write() -> Iterator[Any]:
        return judge(current.model_named(writer), current.model_named(other), current.prompt(), current.settings(), length)

    def about() -> tuple[ModelFigures, ModelFigures, int]:
        writing_model, judging_model = current.model_named(writer), current.model_named(other)
        return ModelFigures.of(writing_model), ModelFigures.of(judging_model), len(writing_model.encode(current.prompt()))

    begin = results.starter(NAME, now, write, about)
    with container:
        results.start_button(NAME, _("Write"), begin, type="primary", icon=":material/edit:")
    results.part(NAME, now, begin, pupil_view.draw_judged, _("Press the button: one model writes, and both give each token a probability."))


def cascade_part(large: str, small: str, length: int) -> None:
    """Draw three texts: both models together, and each alone."""
    elements.section(_("The large model only where the small one is unsure"), _("cascade"))
    st.caption(_("Where the entropy of the small model is above the limit, the large one writes the token. Three texts, the same dice."))
    with st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="pupil_cascade_examples"):
        for name in (example_texts.SUM_ALOUD, N_("A story")):
            text = EXAMPLES.foreseen[name]
            st.button(_(name), on_click=current.use_prompt, args=(text,), help=plain(text), key=f"cascaded_{name}", type="tertiary")
    with st.container(horizontal=True, vertical_alignment="bottom", key="pupil_cascade_controls"):
        entropy = _("Entropy of the small model's distribution, in bits: 0 is certain, 1 is a fair coin, 3 is a die with eight sides.")
        widget_options = {"format": "%.2f bits", "help": entropy, "width": 320, **PERSISTENT}
        limit = st.slider(_("Limit of the entropy"), 0.0, 8.0, 2.0, 0.25, key="pupil_threshold", **widget_options)
        now = provenance.now(model=large, pupil=small, threshold=limit, length=length)

        def write() -> Iterator[Any]:
            models, limits = (current.model_named(small), current.model_named(large)), (float(limit), SMALL_ONLY, LARGE_ONLY)
            return cascade(*models, current.prompt(), current.settings(), limits, length)

        begin = results.starter(CASCADE, now, write, (small, large))
        results.start_button(CASCADE, _("Write all three"), begin, icon=":material/alt_route:")
    results.part(CASCADE, now, begin, pupil_view.draw_cascade, _("Press the button: the three texts grow by one token in turn."))


def evaluation(large: str, small: str) -> None:
    """Draw facts, perplexity and agreement of both models and of a twin of the small one."""
    elements.section(_("What it learned"), _("facts, perplexity, agreement"))
    now = provenance.now(model=large, pupil=small, prompt=False, settings=False)
    twins = [name for name in current.model_names() if name == f"{small}-alone"]  # same size, trained on the texts alone

    def evaluate() -> Iterator[Any]:
        models = [current.model_named(name) for name in (large, small, *twins)]
        return student_reports(models, models[0], EXAMPLES.unseen_story, FACTS)

    begin = results.starter(SCHOOL, now, evaluate, twins)
    results.start_button(SCHOOL, _("Evaluate"), begin, icon=":material/school:")
    hint = _("Press the button: each model completes {count} facts and reads a short story that no training has read.")
    results.part(SCHOOL, now, begin, pupil_view.draw_evaluation, hint.format(count=FACTS))


frame.header(
    _("A pupil and a teacher"),
    _("model size, distillation"),
    _("Two models on the same text: one writes, and both give each token a probability. The smaller model is faster and usually worse."),
)
with drawing_boundary():
    names = current.model_names()
    if len(names) < 2:
        notices.show_notice(_("Only one model is here. Download another one on the Models page."))
    else:
        prompt_field.own_text()
        with st.container(horizontal=True, vertical_alignment="bottom", key="pupil_controls"):
            large, small = choose_models(names)
            chosen = elements.choice(_("Who writes"), WRITERS, WRITERS[1], "pupil_writer", format_func=_)
            length = elements.choice(_("Tokens"), LENGTHS, 48, "pupil_length")
            home = st.container()
        judged_text(large, small, length, small if chosen == WRITERS[0] else large, home)
        cascade_part(large, small, length)
        evaluation(large, small)
