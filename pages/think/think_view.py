"""What Thinking aloud draws: two answers to one question, and the counts of a set."""

from __future__ import annotations

import math
from collections.abc import Iterator

import altair as alt
import pandas as pd
import streamlit as st

from core.engine.model import LanguageModel
from core.experiments.shared.answer_in_text import same_answer
from core.experiments.shared.confidence_interval import wilson
from core.experiments.shared.prompting_styles import CHAIN_OF_THOUGHT, DIRECT, PromptingStyle
from core.experiments.think.thinking import Answered, Question, ReasoningStep, think
from pages.ui.charts.css_colours import Palette, legend
from pages.ui.charts.parts import CHART, chart_spec, percent_axis, shares_up, text_places, tips, two_sides
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _
from pages.ui.session import elements
from pages.ui.views import chart
from pages.ui.views.tinted_text import tinted_text

TITLES = {DIRECT: N_("At once"), CHAIN_OF_THOUGHT: N_("Step by step")}
SIDES = {DIRECT: "one", CHAIN_OF_THOUGHT: "other"}
LISTED = 40  # questions


def both_styles(model: LanguageModel, question: Question) -> Iterator[tuple[PromptingStyle, ReasoningStep]]:
    """Answer at once, then step by step."""
    for style in TITLES:
        for step in think(model, question, style):
            yield style, step


def draw_one(run: Experiment) -> None:
    """Draw both answers, and the probability of the right answer at every token."""
    steps = {style: [step for whose, step in run.observations if whose == style] for style in TITLES}
    for home, style in zip(st.columns([0.36, 0.64], gap="large"), TITLES, strict=True):
        with home, st.container(gap="xsmall"):
            elements.section(_(TITLES[style]), style.begin)
            mine = steps[style]
            tinted_text([step.step for step in mine], key=f"think_text_{SIDES[style]}", other=style == CHAIN_OF_THOUGHT)
            if mine:
                st.markdown(f"{verdict(mine[-1].given, run.about.answer)} {numbers.tokens(len(mine))}.")
    elements.section(
        _("How likely is the right answer, if it had to answer now?"),
        _("joint probability of the answer's tokens and of its end"),
        help=_(
            "Before each token the model is asked for its answer. The probabilities of the right answer's tokens are multiplied, "
            "and with them the probability that the answer ends there (24 does not become 240). The text is not changed by this."
        ),
    )
    alt_text = _("Two lines from 0 to 100 percent: the probability of the right answer before every token, at once and step by step.")
    chart.draw(
        answer_probability,
        chances(steps),
        key="think_chance",
        title=_("How likely is the right answer, if it had to answer now?"),
        alt_text=alt_text,
        legend=styles(),
    )
    legend(*styles())


def verdict(given: str | None, answer: str) -> str:
    """Return whether an answer is right, in a sentence."""
    if given is None:
        return _("No answer yet.")
    if same_answer(given, answer):
        return _("It says {given}. That is right.").format(given=plain(given))
    return _("It says {given}. Right is {answer}.").format(given=plain(given), answer=plain(answer))


def plain(text: str) -> str:
    """Return an answer for Markdown: letters and digits only, bold."""
    return f"**{''.join(c if c.isalnum() or c in ' .,-' else '·' for c in text[:40])}**"


def styles() -> list[tuple[str, str]]:
    """Return the colours of both styles with their meaning."""
    return [("dice", _("At once")), ("other", _("Step by step"))]


def chances(steps: dict[PromptingStyle, list[ReasoningStep]]) -> pd.DataFrame:
    """Return the rows of the chart: the probability of the right answer before every token, and at the end."""
    rows = [
        (number, SIDES[style], step.chance, step.step.piece, numbers.percent(step.chance))
        for style, those in steps.items()
        for number, step in enumerate(those, start=1)
        if not math.isnan(step.chance)
    ]
    return pd.DataFrame(rows, columns=["place", "side", "share", "text", "label"])


def draw_set(run: Experiment) -> None:
    """Draw the right answers of both styles with their uncertainty, the tokens, and the newest questions."""
    by_style: dict[PromptingStyle, list[Answered]] = {
        style: [answer for answer in run.observations if answer.style == style] for style in TITLES
    }
    rows, tokens = [], []
    for home, (style, those) in zip(st.columns(2, gap="large"), by_style.items(), strict=True):
        right, total = sum(answer.right for answer in those), len(those)
        low, high = wilson(right, total)
        rows.append((SIDES[style], 0 if style == DIRECT else 1, right / max(1, total), low, high))
        with home:
            elements.section(_(TITLES[style]), style.begin)
            st.markdown(f"### {_('{right} of {total} right').format(right=right, total=total)}")
            if total:
                tokens.append(sum(answer.tokens for answer in those) / total)
                interval = _("95 % interval of the true rate: {low} to {high} (Wilson). {tokens} tokens and {seconds} per question.")
                seconds = numbers.duration(sum(answer.seconds for answer in those) / total)
                limits = {"low": numbers.percent(low), "high": numbers.percent(high)}
                st.caption(interval.format(tokens=numbers.decimal(tokens[-1], 0), seconds=seconds, **limits))
    if len(tokens) < 2:
        return
    table = pd.DataFrame(rows, columns=["side", "row", "share", "low", "high"])
    alt_text = _("Two bars from 0 to 100 percent with their 95 percent intervals: right answers at once and step by step.")
    chart.draw(right_answers, table, key="think_right", title=_("Right answers"), alt_text=alt_text, legend=styles())
    legend(*styles())
    st.markdown(_("Thinking aloud cost {times} times the tokens.").format(times=numbers.decimal(tokens[1] / max(1, tokens[0]), 0)))
    lines = [
        (
            answer.question.text.strip().removeprefix("Question: "),
            _(TITLES.get(answer.style, answer.style.name)),
            answer.given or "–",
            answer.question.answer,
            "✓" if answer.right else "✗",
        )
        for answer in reversed(run.observations[-LISTED:])
    ]
    with st.expander(_("Question by question")):
        head = [_("question"), _("way"), _("it said"), _("right is"), ""]
        st.dataframe(pd.DataFrame(lines, columns=head), hide_index=True, width="stretch")


@chart_spec(8)
def answer_probability(colours: Palette) -> alt.TopLevelMixin:
    """Two lines from 0 to 100 %: the probability of the right answer before every token. Columns: place, side, share, text, label."""
    base = CHART.encode(x=text_places(colours), y=shares_up(colours), color=two_sides(colours))
    lines = base.mark_line(strokeWidth=2.5, interpolate="step-after")
    dots = base.mark_circle(size=30, opacity=1).encode(
        tooltip=tips(("place", _("token")), ("text", _("next token")), ("label", _("probability")))
    )
    return alt.layer(lines, dots).properties(height=190)


@chart_spec(8)
def right_answers(colours: Palette) -> alt.TopLevelMixin:
    """Two bars with confidence intervals. Columns: side, row, share, low, high, label."""
    axis = percent_axis(colours, 0, 0.25, 0.5, 0.75, 1, format="%")
    scale = alt.Scale(domain=[0, 1], clamp=True)
    base = CHART.encode(y=alt.Y("row:O", axis=None, scale=alt.Scale(paddingInner=0.35)))
    bars = base.mark_bar(cornerRadius=4, opacity=0.85).encode(x=alt.X("share:Q", axis=axis, scale=scale), color=two_sides(colours))
    spans = base.mark_rule(strokeWidth=2.5, color=colours.text).encode(x=alt.X("low:Q", axis=axis, scale=scale), x2="high:Q")
    ends = [
        base.mark_tick(thickness=2.5, size=16, color=colours.text).encode(x=alt.X(f"{end}:Q", axis=axis, scale=scale))
        for end in ("low", "high")
    ]
    return alt.layer(bars, spans, *ends).properties(height=110)
