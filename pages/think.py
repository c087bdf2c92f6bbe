"""Thinking aloud: one question answered at once and step by step, side by side; and a whole set of them, counted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pandas as pd
import streamlit as st

from core.engine.model import LanguageModel
from core.experiments.answers import same_answer
from core.experiments.thinking import (
    CHAIN_OF_THOUGHT,
    DIRECT,
    Answered,
    PromptingStyle,
    Question,
    ReasoningStep,
    count,
    sums,
    think,
    wilson,
)
from core.language import N_, _, said
from pages.ui.charts import charts, palette, what_if_charts
from pages.ui.charts.legend import legend
from pages.ui.experiments import experiment, results
from pages.ui.i18n import example_texts, names, numbers
from pages.ui.session import current, elements, provenance
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame
from pages.ui.views.tinted_text import tinted_text

frame.page()

TAUGHT = _(
    "The bundled models were taught this way of adding: their training text is full of sums written out column by column. "
    "A model that was never shown how may think in another way, or not at all."
)
SET_KINDS = {
    True: N_("that carry twice"),
    False: N_("any"),
}
ONE, MANY = "think", "think_set"
TITLES = {DIRECT: _("At once"), CHAIN_OF_THOUGHT: _("Step by step")}
SIDES = {DIRECT: "one", CHAIN_OF_THOUGHT: "other"}


def both_ways(model: LanguageModel, question: Question) -> Iterator[tuple[PromptingStyle, ReasoningStep]]:
    """First at once, then step by step; greedily, so that a question shows the same thing every time."""
    for way in (DIRECT, CHAIN_OF_THOUGHT):
        for thought in think(model, question, way):
            yield way, thought


def one_view() -> None:
    """One question, two answers, and how likely the right one was at every word."""
    greedily = _("Answered greedily, always the likeliest token, so that a question shows the same thing every time.")
    st.caption(f"{greedily} {TAUGHT}")
    first_question, first_answer = next(iter(example_texts.QUESTIONS.values()))
    with st.container(horizontal=True, vertical_alignment="center", key="think_ready"):
        st.caption(_("Try one"), width="content")
        picked = [
            st.button(_(title), on_click=ready_made, args=example, key=f"think_example_{number}")
            for number, (title, example) in enumerate(example_texts.QUESTIONS.items())
        ]
    with st.container(horizontal=True, vertical_alignment="bottom", key="think_controls"):
        text = st.text_input(_("Question"), value=first_question, key="think_question", max_chars=500, width=420, **PERSISTENT)
        answer = st.text_input(_("The right answer"), value=first_answer, key="think_answer", max_chars=40, width=140, **PERSISTENT)
        question = Question(f"{text}\n", answer)
        chosen = {N_("the question"): text, N_("the answer"): N_("right is {answer}").format(answer=answer)}
        now = provenance.now(chosen, prompt=False, settings=False)  # answered greedily, whatever the settings are

        @current.error_boundary
        def begin() -> None:
            current.anchor_notices(ONE)
            model = current.model()
            experiment.start(ONE, lambda: both_ways(model, question), now, question)

        if any(picked):
            begin()
        state = experiment.of(ONE)
        if state.running:
            st.button(_("Stop"), on_click=experiment.stop, args=(ONE,), icon=":material/stop:", key="think_stop")
        else:
            if st.button(_("Ask"), type="primary", icon=":material/help:", key="think_start"):
                begin()
                st.rerun()

    def draw() -> None:
        with results.shown(ONE, now, begin) as run:
            asked: Question = run.about or question
            thoughts = {way: [thought for whose, thought in run.seen if whose == way] for way in TITLES}
            for home, way in zip(st.columns([0.36, 0.64], gap="large"), TITLES, strict=True):
                with home, st.container(gap="xsmall"):
                    elements.section(TITLES[way], way.begin)
                    answered(way, thoughts[way], asked)
            if run.seen:
                elements.section(
                    _("How likely is the right answer, if it had to answer now?"),
                    _("joint probability of the answer's tokens, and that it ends"),
                    help=_(
                        "Before each word the model is asked for the answer behind what stands there (step by step: "
                        "behind “The answer is”), and the probabilities it gives to the right answer's tokens, and "
                        "to nothing following that would make it another answer (24, then 0), are multiplied. "
                        "Computed; the text goes on as if nobody had asked."
                    ),
                )
                charts.draw(
                    what_if_charts.answer_probability,
                    chances(thoughts),
                    key="think_chance",
                    alt_text=_(
                        "Two lines from 0 to 100 percent: the probability of the right answer before every word, at once and step by step."
                    ),
                )
                styles_legend()

    results.live(draw, ONE, key="think_fragment")


def ready_made(question: str, answer: str) -> None:
    """Put an example into both fields."""
    current.fill("think_question", question)
    current.fill("think_answer", answer)


def styles_legend() -> None:
    colours = palette.of(charts.theme())
    legend((colours.dice, _("At once")), (colours.other, _("Step by step")))


def answered(way: PromptingStyle, thoughts: list[ReasoningStep], question: Question) -> None:
    """What was written this way, and whether it is right."""
    tinted_text([thought.step for thought in thoughts], key=f"think_text_{SIDES[way]}", other=way == CHAIN_OF_THOUGHT)
    given = thoughts[-1].given if thoughts else None
    tokens = numbers.tokens(len(thoughts))
    if not thoughts and not experiment.of(ONE).running:
        st.caption(
            _("Press Ask: here it has to answer with its very first words.")
            if way == DIRECT
            else _("Here it may first write down how it gets there.")
        )
    elif given is None:
        st.caption(_("No answer yet. {tokens}.").format(tokens=tokens))
    elif same_answer(given, question.answer):
        st.markdown(_("It says {given}. That is right. {tokens}.").format(given=plain(given), tokens=tokens))
    else:
        st.markdown(
            _("It says {given}. Right would be {answer}. {tokens}.").format(
                given=plain(given), answer=plain(question.answer), tokens=tokens
            )
        )


def plain(text: str) -> str:
    """An answer inside Markdown: letters and digits only."""
    return f"**{''.join(c if c.isalnum() or c in ' .,-' else '·' for c in text[:40])}**"


def chances(thoughts: dict[PromptingStyle, list[ReasoningStep]]) -> pd.DataFrame:
    """Rows for the chart: the chance before every word, and once more at the end."""
    rows = [
        (place, SIDES[way], thought.chance, thought.step.piece, numbers.percent(thought.chance))
        for way, those in thoughts.items()
        for place, thought in enumerate(those, start=1)
        if not math.isnan(thought.chance)
    ]
    return pd.DataFrame(rows, columns=["place", "side", "share", "text", "label"])


def set_view() -> None:
    """A whole set, both ways, with progress, and what the count is worth."""
    lead = _(
        "Sums of three two-digit numbers, none of which was in the bundled models' training text. Both ways, one after the other, greedily."
    )
    st.caption(f"{lead} {TAUGHT}")
    with st.container(horizontal=True, vertical_alignment="bottom", key="think_set_controls"):
        number = st.segmented_control(_("Questions"), (10, 25, 50, 100), default=50, key="think_count", required=True, **PERSISTENT) or 50
        hard = st.segmented_control(
            _("Which sums"),
            list(SET_KINDS),
            format_func=said(SET_KINDS).__getitem__,
            default=True,
            key="think_kind",
            required=True,
            help=_(
                "98 + 99 + 43 carries twice: its units alone make 20. That is where a small model that "
                "answers at once goes wrong most often."
            ),
            **PERSISTENT,
        )
        seed = current.settings().seed
        chosen = {
            N_("the number"): N_("{count} questions").format(count=number),
            N_("which sums"): SET_KINDS[hard is not False],
            N_("the seed"): N_("seed {seed}").format(seed=seed),
        }
        now = provenance.now(chosen, prompt=False, settings=False)

        @current.error_boundary
        def begin() -> None:
            current.anchor_notices(MANY)
            model = current.model()
            experiment.start(MANY, lambda: count(model, sums(number, seed, hard is not False)), now, number)

        state = experiment.of(MANY)
        if state.running:
            st.button(_("Stop"), on_click=experiment.stop, args=(MANY,), icon=":material/stop:", key="think_set_stop")
        else:
            if st.button(_("Ask them all"), type="primary", icon=":material/checklist:", key="think_set_start"):
                begin()
                st.rerun()

    def draw() -> None:
        with results.shown(MANY, now, begin) as run:
            if run.seen or run.running:
                done = sum(entry.style == CHAIN_OF_THOUGHT for entry in run.seen)
                st.progress(done / run.about, text=_("{done} of {total} questions answered both ways").format(done=done, total=run.about))
                counted(run.seen)

    results.live(draw, MANY, key="think_set_fragment")


def counted(entries: Sequence[Answered]) -> None:
    """Right answers with their uncertainty, tokens each way, and the newest questions."""
    by_way = {way: [entry for entry in entries if entry.style == way] for way in TITLES}
    rows = []
    for home, (way, those) in zip(st.columns(2, gap="large"), by_way.items(), strict=True):
        right, total = sum(entry.right for entry in those), len(those)
        low, high = wilson(right, total)
        rows.append((SIDES[way], 0 if way == DIRECT else 1, right / max(1, total), low, high))
        with home:
            elements.section(TITLES[way], way.begin)
            st.markdown(f"### {_('{right} of {total} right').format(right=right, total=total)}")
            if total:
                each, seconds = sum(e.tokens for e in those) / total, sum(e.seconds for e in those) / total
                st.caption(
                    _("so the true share is between {low} and {high}, with 95 % certainty").format(
                        low=numbers.percent(low), high=numbers.percent(high)
                    )
                )
                st.caption(
                    _("{tokens} tokens each, {seconds} each").format(tokens=numbers.decimal(each, 0), seconds=numbers.duration(seconds))
                )
    if not all(by_way.values()):
        return
    table = pd.DataFrame(rows, columns=["side", "row", "share", "low", "high"])
    charts.draw(
        what_if_charts.right_answers,
        table,
        key="think_right",
        alt_text=_("Two bars from 0 to 100 percent with their 95 percent intervals: right answers at once and step by step."),
    )
    styles_legend()
    cost = [sum(entry.tokens for entry in those) / len(those) for those in by_way.values()]
    st.markdown(
        _("Thinking aloud cost {times} times the tokens.").format(times=numbers.decimal(cost[1] / max(1, cost[0]), 0)),
        help=_("Wilson's interval: with so few questions a count is uncertain, and the bar's line shows by how much."),
    )
    lines = [
        (
            entry.question.text.strip().removeprefix("Question: "),
            TITLES.get(entry.style, entry.style.name),
            entry.given or "–",
            entry.question.answer,
            "✓" if entry.right else "✗",
        )
        for entry in reversed(entries[-40:])
    ]
    with st.expander(_("Question by question")):
        st.dataframe(
            pd.DataFrame(lines, columns=[_("question"), _("way"), _("it said"), _("right is"), ""]), hide_index=True, width="stretch"
        )


frame.header(
    _("Does it help to think aloud?"),
    _("chain of thought"),
    _(
        "The same question, answered at once and step by step. Every word is one more pass, and what "
        "was worked out stands there to be used."
    ),
)
with elements.error_boundary():
    views = names.THINK_VIEWS
    wanted = st.segmented_control(
        _("View"), views, default=views[0], key="think_view", format_func=_, label_visibility="collapsed", required=True, **PERSISTENT
    )
    (set_view if wanted == views[1] else one_view)()
