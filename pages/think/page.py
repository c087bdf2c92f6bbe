"""Thinking aloud: one question answered at once and step by step, side by side, and a set of questions, counted."""

from __future__ import annotations

import streamlit as st

from core.experiments.thinking import CHAIN_OF_THOUGHT, Question, count, sums
from pages.think import SET_KINDS, THINK_VIEWS
from pages.ui.experiments import results
from pages.ui.experiments.experiment import Experiment
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.translation import _, said
from pages.ui.session import current, elements, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.shell import frame
from pages.ui.views import think_view

frame.page()

TRAINED = _("The bundled models were trained on sums written out column by column. Other models can think in other ways, or not at all.")
GREEDY = _("Answered with the likeliest token at every step, so that a question always gets the same answer.")
ONE, MANY = "think", "think_set"


def one_view() -> None:
    """Draw one question with two answers, and the probability of the right answer at every token."""
    st.caption(f"{GREEDY} {TRAINED}")
    first_question, first_answer = next(iter(EXAMPLES.questions.values()))
    with st.container(horizontal=True, vertical_alignment="center", key="think_ready"):
        st.caption(_("Try one"), width="content")
        picked = elements.examples(EXAMPLES.questions, ("think_question", "think_answer"), "think_example")
    with st.container(horizontal=True, vertical_alignment="bottom", key="think_controls"):
        text = st.text_input(_("Question"), first_question, max_chars=500, key="think_question", width=420, **PERSISTENT)
        answer = st.text_input(_("The right answer"), first_answer, max_chars=40, key="think_answer", width=140, **PERSISTENT)
        question = Question(f"{text}\n", answer)
        now = provenance.now(question=text, answer=answer, prompt=False, settings=False)
        begin = results.starter(ONE, now, lambda: think_view.both_styles(current.model(), question), question)
        if picked:
            begin()
        results.start_button(ONE, _("Ask"), begin, type="primary", icon=":material/help:")
    results.part(ONE, now, begin, think_view.draw_one, _("Press Ask: the model answers at once, then step by step."))


def set_view() -> None:
    """Draw a set of questions, answered both ways, and how certain the count is."""
    text = _("Sums of three two-digit numbers, none of which is in the training text of the bundled models.")
    st.caption(f"{text} {GREEDY} {TRAINED}")
    with st.container(horizontal=True, vertical_alignment="bottom", key="think_set_controls"):
        number = elements.choice(_("Questions"), (10, 25, 50, 100), 50, "think_count")
        carry = _("98 + 99 + 43 carries twice: its units alone make 20. Such sums are harder to answer at once.")
        kind = said(SET_KINDS).__getitem__
        hard = elements.choice(_("Which sums"), list(SET_KINDS), True, "think_kind", format_func=kind, help=carry)
        seed = current.settings().seed
        now = provenance.now(questions=number, carries=hard, seed=seed, prompt=False, settings=False)
        begin = results.starter(MANY, now, lambda: count(current.model(), sums(number, seed, hard)), number)
        results.start_button(MANY, _("Ask all"), begin, type="primary", icon=":material/checklist:")

    def draw(run: Experiment) -> None:
        done = sum(entry.style == CHAIN_OF_THOUGHT for entry in run.seen)
        st.progress(done / run.about, text=_("{done} of {total} questions answered both ways").format(done=done, total=run.about))
        think_view.draw_set(run)

    results.part(MANY, now, begin, draw)


frame.header(
    _("Does it help to think aloud?"),
    _("chain of thought"),
    _("The same question, answered at once and step by step. Every token is one more pass, and later tokens can use earlier ones."),
)
with drawing_boundary():
    wanted = results.view(THINK_VIEWS, "think_view")
    (set_view if wanted == THINK_VIEWS[1] else one_view)()
