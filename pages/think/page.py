"""Thinking aloud: one question answered at once and step by step, a set of questions counted, and how much thinking is enough."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import streamlit as st

from core.engine.model import LanguageModel
from core.experiments.shared.prompting_styles import CHAIN_OF_THOUGHT
from core.experiments.think.thinking import Question, count, sums
from core.experiments.think.thinking_budget import budget_curve, budget_set
from pages.think import SET_KINDS, THINK_VIEWS, budget_view, think_view
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.translation import _, said
from pages.ui.session import current, elements, linked_controls, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.linked_controls import Linked, LinkedControl
from pages.ui.shell import frame

frame.page()

TRAINED = _("The bundled models were trained on sums written out column by column. Other models can think in other ways, or not at all.")
SUMS = _("Sums of three two-digit numbers, none of which is in the training text of the bundled models.")
GREEDY = _("Answered with the likeliest token at every step, so that a question always gets the same answer.")
ONE, MANY, BUDGET, BUDGET_SET = "think", "think_set", "thinking_budget", "thinking_budget_set"
COUNTS = (10, 25, 50, 100)
QUESTION, ANSWER = next(iter(EXAMPLES.questions.values()))
LINKED: Linked = {
    "think": LinkedControl("think_view", THINK_VIEWS[0], THINK_VIEWS),
    "question": LinkedControl("think_question", QUESTION),
    "answer": LinkedControl("think_answer", ANSWER),
    "count": LinkedControl("think_count", 50, COUNTS),
    "carries": LinkedControl("think_kind", True, tuple(SET_KINDS)),
}


def one_view() -> None:
    """Draw one question with two answers, and the probability of the right answer at every token."""
    st.caption(f"{GREEDY} {TRAINED}")
    ask(ONE, think_view.both_styles, think_view.draw_one, _("Press Ask: the model answers at once, then step by step."))


def ask(name: str, make: Callable[[LanguageModel, Question], Iterator[Any]], draw: Callable[[Experiment], None], hint: str) -> None:
    """Draw the fields of a question with its right answer, and what is measured on it."""
    first_question, first_answer = next(iter(EXAMPLES.questions.values()))
    with st.container(horizontal=True, vertical_alignment="center", key="think_ready"):
        st.caption(_("Try one"), width="content")
        picked = elements.examples(EXAMPLES.questions, ("think_question", "think_answer"), "think_example")
    with st.container(horizontal=True, vertical_alignment="bottom", key="think_controls"):
        text = st.text_input(_("Question"), first_question, max_chars=500, key="think_question", width=420, **PERSISTENT)
        answer = st.text_input(_("The right answer"), first_answer, max_chars=40, key="think_answer", width=140, **PERSISTENT)
        question = Question(f"{text}\n", answer)
        now = provenance.now(question=text, answer=answer, prompt=False, settings=False)
        begin = results.starter(name, now, lambda: make(current.model(), question), question)
        if picked:
            begin()
        results.start_button(name, _("Ask"), begin, type="primary", icon=":material/help:")
    results.part(name, now, begin, draw, hint)


def set_view() -> None:
    """Draw a set of questions, answered both ways, and how certain the count is."""
    st.caption(f"{SUMS} {GREEDY} {TRAINED}")
    ask_all(MANY, count, draw_counted)


def ask_all(name: str, make: Callable[[LanguageModel, Sequence[Question]], Iterator[Any]], draw: Callable[[Experiment], None]) -> None:
    """Draw the controls of a set of sums, and what is measured on it."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="think_set_controls"):
        number = elements.choice(_("Questions"), COUNTS, 50, "think_count")
        carry = _("98 + 99 + 43 carries twice: its units alone make 20. Such sums are harder to answer at once.")
        kind = said(SET_KINDS).__getitem__
        hard = elements.choice(_("Which sums"), list(SET_KINDS), True, "think_kind", format_func=kind, help=carry)
        seed = current.settings().seed
        now = provenance.now(questions=number, carries=hard, seed=seed, prompt=False, settings=False)
        begin = results.starter(name, now, lambda: make(current.model(), sums(number, seed, hard)), number)
        results.start_button(name, _("Ask all"), begin, type="primary", icon=":material/checklist:")
    results.part(name, now, begin, draw)


def draw_counted(run: Experiment) -> None:
    """Draw the answers of both styles so far."""
    questions = sum(entry.style == CHAIN_OF_THOUGHT for entry in run.observations)
    st.progress(questions / run.about, text=_("{done} of {total} questions answered both ways").format(done=questions, total=run.about))
    think_view.draw_set(run)


def budget_tab() -> None:
    """Draw what answers are worth whose thoughts were ended by force: of one question, and of a set."""
    begins = _("Every answer comes after “{begin}”, also with 0 tokens of thoughts; “at once” on the other tab asks in another way.")
    st.caption(f"{GREEDY} {TRAINED} {begins.format(begin=CHAIN_OF_THOUGHT.begin)}")
    marks = current.model().thinking_marks
    if marks:
        sentence = _(
            "The chat template of this model has tags for thoughts: it is asked in a conversation, and its thoughts end with {mark}."
        )
        st.caption(sentence.format(mark=f"`{marks[0].closing}`"))
    else:
        lead = CHAIN_OF_THOUGHT.lead
        st.caption(_("This model has no tags for thoughts: they end where “{lead}” is written, by itself or by force.").format(lead=lead))
    hint = _("Press Ask: the model thinks to the end, and then has to answer after 0, 10, 20 … tokens of these thoughts.")
    ask(BUDGET, budget_curve, budget_view.draw_one, hint)
    elements.section(_("A set of sums, counted"), _("right answers by the budget for thoughts"))
    st.caption(SUMS)
    ask_all(BUDGET_SET, budget_set, budget_view.draw_set)


frame.header(
    _("Does it help to think aloud?"),
    _("chain of thought"),
    _("The same question, answered at once and step by step. Every token is one more pass, and later tokens can use earlier ones."),
)
linked_controls.read(LINKED, of_sidebar=True)
with drawing_boundary():
    wanted = results.view(THINK_VIEWS, "think_view")
    dict(zip(THINK_VIEWS, (one_view, set_view, budget_tab), strict=True))[wanted]()
linked_controls.write(LINKED)
