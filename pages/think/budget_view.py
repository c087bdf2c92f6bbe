"""What “How much is enough?” draws: the right answer by the budget for thoughts, of one question and of a set."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st

from core.experiments.shared.confidence_interval import wilson
from core.experiments.think.thinking_budget import WAIT, BudgetedQuestion, BudgetPoint
from core.record.csv_text import csv_text
from pages.think.think_view import plain, verdict
from pages.ui.charts.css_colours import Palette, legend
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, shares_up, tips, two_sides
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _
from pages.ui.session import elements
from pages.ui.views import chart, receipt

MOSTLY = 0.9  # of the right answers


def draw_one(run: Experiment) -> None:
    """Draw the probability of the right answer at every budget, and what each answer costs."""
    points: list[BudgetPoint] = [point for point in run.observations if not point.waited]
    elements.section(_("How likely is the right answer after so many tokens of thoughts?"), _("exact, at the end that was forced"))
    alt_text = _("The probability of the right answer by the number of tokens of thoughts, and whether the answer is right.")
    chart.draw(by_budget, rows_of_one(points), key="thinking_budget_chart", title=alt_text, alt_text=alt_text, legend=verdicts())
    legend(*verdicts())
    st.markdown(told_of_one(points))
    for waited in (point for point in run.observations if point.waited):
        sentence = _("“{wait}” was forced where it ended them, so that it thinks on: {tokens} of thoughts.")
        st.markdown(f"{sentence.format(wait=WAIT.strip(), tokens=numbers.tokens(waited.budget))} {verdict(waited.given, run.about.answer)}")
    draw_prices(run.observations)


def draw_prices(observations: Sequence[BudgetPoint]) -> None:
    """Draw the table of answers with their price."""
    watts = receipt.assumptions().watts
    head = (_("thoughts, tokens"), _("right answer"), _("it says"), "", _("all tokens"), _("time"), _("energy"))
    rows = [
        (
            f"{numbers.whole(point.budget)}{_(', with “Wait,”') if point.waited else ''}",
            numbers.percent(point.chance),
            "–" if point.given is None else plain(point.given),
            "✓" if point.right else "✗",
            numbers.whole(point.tokens),
            numbers.duration(point.seconds),
            numbers.prefixed(point.seconds * watts, "J"),
        )
        for point in observations
    ]
    elements.table(head, rows)
    sentence = _("Times of one run. Energy: this time at {watts} W, which is assumed; “What did it cost?” has the field for it.")
    st.caption(sentence.format(watts=numbers.short(watts)))
    elements.table_button(lambda: csv_text(pd.DataFrame(observations)), "thinking-budget.csv", "thinking_budget_csv")


def verdicts() -> list[tuple[str, str]]:
    """Return the colours of right and wrong answers with their meaning."""
    return [("dice", _("the answer given is right")), ("other", _("it is wrong, or there is none"))]


def rows_of_one(points: Sequence[BudgetPoint]) -> pd.DataFrame:
    """Return the rows of the chart. Columns: place (tokens), share, low, high (the same), side ("one": right), given, label."""
    rows = [
        (
            point.budget,
            point.chance,
            point.chance,
            point.chance,
            "one" if point.right else "other",
            point.given or "–",
            numbers.percent(point.chance),
        )
        for point in points
        if not math.isnan(point.chance)
    ]
    return pd.DataFrame(rows, columns=["place", "share", "low", "high", "side", "given", "label"])


def told_of_one(points: Sequence[BudgetPoint]) -> str:
    """Say from which budget on the answer is right, and where the thoughts ended by themselves."""
    last = points[-1]
    own_end = (
        _(" The model ends its thoughts by itself after {tokens}.").format(tokens=numbers.tokens(last.budget)) if last.is_own_end else ""
    )
    if not last.right:
        return _("With all its thoughts the answer is not right.") + own_end
    wrong = [number for number, point in enumerate(points) if not point.right]
    first = points[wrong[-1] + 1] if wrong else points[0]
    sentence = _("From {tokens} of thoughts on, the answer is right: that is {share} of its thoughts. Tried every {step} tokens.")
    step = points[1].budget - points[0].budget if len(points) > 1 else 0
    share = numbers.percent(first.budget / last.budget if last.budget else 1.0)
    return sentence.format(tokens=f"**{numbers.tokens(first.budget)}**", share=share, step=numbers.whole(step)) + own_end


def draw_set(run: Experiment) -> None:
    """Draw the share of right answers at every budget with its interval, and what “Wait,” changes."""
    observations: Sequence[BudgetedQuestion] = run.observations
    sentence = _("{done} of {total} questions answered at every budget")
    st.progress(len(observations) / run.about, text=sentence.format(done=numbers.whole(len(observations)), total=numbers.whole(run.about)))
    alt_text = _("The share of right answers by the largest number of tokens of thoughts, with 95 percent intervals.")
    chart.draw(by_budget, rows_of_set(observations), key="thinking_budget_set_chart", title=alt_text, alt_text=alt_text)
    right = sum(question.unforced.right for question in observations)
    mean = sum(question.unforced.budget for question in observations) / len(observations)
    sentence = _("Without a limit {right} of {total} are right, after {tokens} tokens of thoughts on average.")
    counts = {"right": numbers.whole(right), "total": numbers.whole(len(observations)), "tokens": numbers.decimal(mean, 0)}
    st.markdown(sentence.format(**counts) + _enough(observations, right, mean))
    pairs = [(question.unforced, question.waited) for question in observations if question.waited is not None]
    if pairs:
        to_wrong = sum(before.right and not after.right for before, after in pairs)
        to_right = sum(after.right and not before.right for before, after in pairs)
        sentence = _(
            "“{wait}” forced at their end, so that it thinks on: {to_wrong} of {total} answers turn from right to wrong, {to_right} from "
            "wrong to right."
        )
        counts = {"to_wrong": numbers.whole(to_wrong), "to_right": numbers.whole(to_right), "total": numbers.whole(len(pairs))}
        st.markdown(sentence.format(wait=WAIT.strip(), **counts))


def _enough(observations: Sequence[BudgetedQuestion], right: int, mean: float) -> str:
    """Say with which budget nine of ten of those are right that are right without a limit, and how much of the thoughts that is."""
    enough = next(
        (budget for budget in _budgets(observations) if sum(question.at(budget).right for question in observations) >= MOSTLY * right), None
    )
    if not right or enough is None or not mean:
        return ""
    sentence = _(" Nine of ten of these need at most {tokens}: {share} of the average.")
    return sentence.format(tokens=f"**{numbers.tokens(enough)}**", share=numbers.percent(enough / mean))


def _budgets(observations: Sequence[BudgetedQuestion]) -> list[int]:
    """Return the budgets that were forced in these questions, and the longest thoughts of all."""
    forced = {point.budget for question in observations for point in question.points if not point.waited and not point.is_own_end}
    return sorted(forced | {max(question.unforced.budget for question in observations)})


def rows_of_set(observations: Sequence[BudgetedQuestion]) -> pd.DataFrame:
    """Return the rows of the chart. Columns: as in `rows_of_one`, with the interval; side is "one"."""
    rows = []
    for budget in _budgets(observations):
        right = sum(question.at(budget).right for question in observations)
        low, high = wilson(right, len(observations))
        counted = _("{right} of {total} right").format(right=numbers.whole(right), total=numbers.whole(len(observations)))
        rows.append((budget, right / len(observations), low, high, "one", counted, numbers.percent(right / len(observations))))
    return pd.DataFrame(rows, columns=["place", "share", "low", "high", "side", "given", "label"])


@chart_spec(8)
def by_budget(colours: Palette) -> alt.TopLevelMixin:
    """A share by the tokens of thoughts, with its interval. Columns: see `rows_of_one`."""
    x = alt.X("place:Q", axis=grey_axis(colours, _("tokens of thoughts")), scale=alt.Scale(nice=False, padding=12))
    base = CHART.encode(x=x)
    line = base.mark_line(strokeWidth=2, color=colours.muted_text, tooltip=None).encode(y=shares_up(colours))
    spans = base.mark_rule(strokeWidth=1.5, color=colours.muted_text).encode(y=alt.Y("low:Q", title=None), y2="high:Q")
    dots = base.mark_circle(size=70, opacity=1).encode(
        y=shares_up(colours),
        color=two_sides(colours),
        tooltip=tips(("place", _("tokens of thoughts")), ("label", _("probability")), ("given", _("answer"))),
    )
    return alt.layer(line, spans, dots).properties(height=200)
