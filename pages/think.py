"""Thinking aloud: one question answered at once and step by step, side by side; and a whole set of them, counted."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import pandas as pd
import streamlit as st

from core.engine.model import LanguageModel
from core.labs.answers import same_answer
from core.labs.thinking import (
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
from pages.parts.charts import charts, what_if_charts
from pages.parts.components.tinted_text.tinted_text import tinted_text
from pages.parts.layout import frame, palette, results
from pages.parts.runtime import experiment
from pages.parts.session import current, provenance
from pages.parts.session.state import STAYS
from pages.parts.text import numbers, result_words
from pages.parts.text import what_if_words as words

frame.page()
ONE, MANY = "think", "think_set"
TITLES = {DIRECT: words.AT_ONCE_TITLE, CHAIN_OF_THOUGHT: words.STEPWISE_TITLE}
SIDES = {DIRECT: "one", CHAIN_OF_THOUGHT: "other"}


def both_ways(model: LanguageModel, question: Question) -> Iterator[tuple[PromptingStyle, ReasoningStep]]:
    """First at once, then step by step; greedily, so that a question shows the same thing every time."""
    for way in (DIRECT, CHAIN_OF_THOUGHT):
        for thought in think(model, question, way):
            yield way, thought


def one_view() -> None:
    """One question, two answers, and how likely the right one was at every word."""
    st.caption(words.THINK_GREEDY)
    first_question, first_answer = next(iter(words.QUESTIONS.values()))
    with st.container(horizontal=True, vertical_alignment="center", key="think_ready"):
        st.caption(words.READY, width="content")
        picked = [
            st.button(title, on_click=ready_made, args=example, key=f"think_example_{number}")
            for number, (title, example) in enumerate(words.QUESTIONS.items())
        ]
    with st.container(horizontal=True, vertical_alignment="bottom", key="think_controls"):
        text = st.text_input(words.QUESTION, value=first_question, key="think_question", max_chars=500, width=420, **STAYS)
        answer = st.text_input(words.ANSWER, value=first_answer, key="think_answer", max_chars=40, width=140, **STAYS)
        question = Question(f"{text}\n", answer)
        chosen = {words.BY_QUESTION: text, words.BY_ANSWER: words.RIGHT_IS.format(answer=answer)}
        now = provenance.now(chosen, prompt=False, settings=False)  # answered greedily, whatever the settings are

        @current.error_boundary
        def begin() -> None:
            current.at(ONE)
            model = current.model()
            experiment.start(ONE, lambda: both_ways(model, question), now, question)

        if any(picked):
            begin()
        state = experiment.of(ONE)
        if state.running:
            st.button(words.STOP, on_click=experiment.stop, args=(ONE,), icon=":material/stop:", key="think_stop")
        else:
            if st.button(words.ASK, type="primary", icon=":material/help:", key="think_start"):
                begin()
                st.rerun()

    def draw() -> None:
        with results.shown(ONE, now, begin) as run:
            asked: Question = run.about or question
            thoughts = {way: [thought for whose, thought in run.seen if whose is way] for way in TITLES}
            for home, way in zip(st.columns([0.36, 0.64], gap="large"), TITLES, strict=True):
                with home, st.container(gap="xsmall"):
                    frame.section(TITLES[way], way.begin)
                    answered(way, thoughts[way], asked)
            if run.seen:
                frame.section(words.CHANCE, words.CHANCE_TERM, help=words.CHANCE_HELP)
                charts.draw(what_if_charts.chance, chances(thoughts), key="think_chance", alt_text=words.CHANCE_ALT)
                legend()

    results.live(draw, ONE, key="think_fragment")


def ready_made(question: str, answer: str) -> None:
    """Put an example into both fields."""
    current.fill("think_question", question)
    current.fill("think_answer", answer)


def legend() -> None:
    colours = palette.of(charts.theme())
    frame.legend((colours.dice, words.AT_ONCE_TITLE), (colours.other, words.STEPWISE_TITLE))


def answered(way: PromptingStyle, thoughts: list[ReasoningStep], question: Question) -> None:
    """What was written this way, and whether it is right."""
    tinted_text([thought.step for thought in thoughts], key=f"think_text_{SIDES[way]}", other=way is CHAIN_OF_THOUGHT)
    given = thoughts[-1].given if thoughts else None
    tokens = words.tokens(len(thoughts))
    if not thoughts and not experiment.of(ONE).running:
        st.caption(words.NOT_ASKED if way is DIRECT else words.NOT_ASKED_STEPWISE)
    elif given is None:
        st.caption(words.GAVE_NONE.format(tokens=tokens))
    elif same_answer(given, question.answer):
        st.markdown(words.GAVE_RIGHT.format(given=plain(given), tokens=tokens))
    else:
        st.markdown(words.GAVE_WRONG.format(given=plain(given), answer=plain(question.answer), tokens=tokens))


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
    st.caption(f"{words.SET_LEAD} {words.THINK_TAUGHT}")
    with st.container(horizontal=True, vertical_alignment="bottom", key="think_set_controls"):
        number = st.segmented_control(words.SET_COUNT, (10, 25, 50, 100), default=50, key="think_count", required=True, **STAYS) or 50
        hard = st.segmented_control(
            words.SET_KIND,
            list(words.SET_KINDS),
            format_func=words.SET_KINDS.__getitem__,
            default=True,
            key="think_kind",
            required=True,
            help=words.SET_KIND_HELP,
            **STAYS,
        )
        seed = current.settings().seed
        chosen = {
            words.BY_NUMBER: words.SET_NUMBER.format(count=number),
            "which sums": words.SET_KINDS[hard is not False],
            words.BY_SEED: result_words.SEED.format(seed=seed),
        }
        now = provenance.now(chosen, prompt=False, settings=False)

        @current.error_boundary
        def begin() -> None:
            current.at(MANY)
            model = current.model()
            experiment.start(MANY, lambda: count(model, sums(number, seed, hard is not False)), now, number)

        state = experiment.of(MANY)
        if state.running:
            st.button(words.STOP, on_click=experiment.stop, args=(MANY,), icon=":material/stop:", key="think_set_stop")
        else:
            if st.button(words.SET_START, type="primary", icon=":material/checklist:", key="think_set_start"):
                begin()
                st.rerun()

    def draw() -> None:
        with results.shown(MANY, now, begin) as run:
            if run.seen or run.running:
                done = sum(entry.style is CHAIN_OF_THOUGHT for entry in run.seen)
                st.progress(done / run.about, text=words.SET_PROGRESS.format(done=done, total=run.about))
                counted(run.seen)

    results.live(draw, MANY, key="think_set_fragment")


def counted(entries: Sequence[Answered]) -> None:
    """Right answers with their uncertainty, tokens each way, and the newest questions."""
    by_way = {way: [entry for entry in entries if entry.style is way] for way in TITLES}
    rows = []
    for home, (way, those) in zip(st.columns(2, gap="large"), by_way.items(), strict=True):
        right, total = sum(entry.right for entry in those), len(those)
        low, high = wilson(right, total)
        rows.append((SIDES[way], 0 if way is DIRECT else 1, right / max(1, total), low, high))
        with home:
            frame.section(TITLES[way], way.begin)
            st.markdown(f"### {words.SET_RIGHT.format(right=right, total=total)}")
            if total:
                each, seconds = sum(e.tokens for e in those) / total, sum(e.seconds for e in those) / total
                st.caption(words.SET_BETWEEN.format(low=numbers.percent(low), high=numbers.percent(high)))
                st.caption(words.SET_COST.format(tokens=f"{each:.0f}", seconds=numbers.duration(seconds)))
    if not all(by_way.values()):
        return
    table = pd.DataFrame(rows, columns=["side", "row", "share", "low", "high"])
    charts.draw(what_if_charts.right_answers, table, key="think_right", alt_text=words.SET_ALT)
    legend()
    cost = [sum(entry.tokens for entry in those) / len(those) for those in by_way.values()]
    st.markdown(words.SET_VERDICT.format(times=f"{cost[1] / max(1, cost[0]):.0f}"), help=words.SET_HELP)
    lines = [
        (
            entry.question.text.strip().removeprefix("Question: "),
            entry.style.name,
            entry.given or "–",
            entry.question.answer,
            "✓" if entry.right else "✗",
        )
        for entry in reversed(entries[-40:])
    ]
    with st.expander(words.SET_LIST):
        st.dataframe(pd.DataFrame(lines, columns=["question", "way", "it said", "right is", ""]), hide_index=True, width="stretch")


frame.header(words.THINK_TITLE, words.THINK_TERM, words.THINK_LEAD)
with frame.error_boundary():
    names = words.THINK_VIEWS
    wanted = st.segmented_control("View", names, default=names[0], key="think_view", label_visibility="collapsed", required=True, **STAYS)
    (set_view if wanted == names[1] else one_view)()
