"""What Batching draws: the board of both servers, their figures, the check against single requests, and the curve of batch sizes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from core.experiments.batching.batch_curve import CurvePoint
from core.experiments.batching.compared_policies import Alone, Summary, summary
from pages.batching.serving_board import READER_STATES, STATES, serving_board
from pages.batching.serving_board_rows import Board
from pages.ui.charts.css_colours import Palette, legend
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, tips
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import names, numbers
from pages.ui.i18n.numbers import written
from pages.ui.i18n.translation import _, said
from pages.ui.session import elements
from pages.ui.session.state import memory
from pages.ui.views import chart

CLOSE = 1.15  # times as fast; below it both sides are called equally fast


@dataclass(slots=True)
class ShownBoard:
    """board: of the run that was begun with `about`."""

    about: object = None
    board: Board | None = None


def board(run: Experiment) -> Board:
    """Return the board after all observations; each observation is read once, however often it is drawn."""
    remembered = memory(ShownBoard)
    if remembered.board is None or remembered.about is not run.about or remembered.board.read > len(run.observations):
        remembered.about, remembered.board = run.about, Board.of(run.about[0])
    remembered.board.take(run.observations)
    return remembered.board


def draw_board(run: Experiment) -> None:
    """Draw both servers, and their figures once the run has ended."""
    both = board(run)
    legend(*zip(STATES.values(), said(READER_STATES).values(), strict=True))
    _who, policies, places = run.about
    titles = (_(names.SCHEDULERS[policies[0]]), _(names.SCHEDULERS[policies[1]]))
    lines = (_(names.SCHEDULER_LINES[policies[0]]), _(names.SCHEDULER_LINES[policies[1]]))
    serving_board(both, titles, lines, places, key="batching_board")
    if not run.running:
        left, right = (summary(side.iterations) for side in both.sides)
        if left.finished and right.finished:
            verdict(left, right, titles)
        with st.container(key="detail_batching"):
            figures(left, right, titles)


def verdict(left: Summary, right: Summary, titles: tuple[str, str]) -> None:
    """Draw which side computed more tokens per second, and what each request noticed of it."""
    quick, slow = sorted((left, right), key=lambda side: side.seconds)
    factor = quick.tokens_per_second / slow.tokens_per_second
    faster = _("**{title}** wrote {factor} times as many tokens per second: {count} answers in {quick} of computing instead of {slow}.")
    equal = _("Both took about as long: {count} answers in {quick} and {slow} of computing.")
    sentence = (faster if factor > CLOSE else equal).format(
        title=titles[0 if quick is left else 1],
        factor=numbers.decimal(factor, 1),
        count=quick.finished,
        quick=numbers.duration(quick.seconds),
        slow=numbers.duration(slow.seconds),
    )
    st.markdown(sentence)


def figures(left: Summary, right: Summary, titles: tuple[str, str]) -> None:
    """Draw both sides in figures."""
    elements.section(_("In figures"), _("measured in this run"))
    first, second = _by_label(left), _by_label(right)
    elements.table((_("figure"), *titles), [(label, first[label], second[label]) for label in first])
    st.caption(_(names.COUNTED_RATES["service"]))


def _by_label(side: Summary) -> dict[str, str]:
    """Return the figures of a side by their labels."""

    def pair(values: tuple[float, float]) -> str:
        return " · ".join(numbers.duration(value) if value == value else "–" for value in values)

    prefill = f"{numbers.whole(side.prompt_tokens)} · {numbers.whole(side.reused_tokens)}"
    return {
        _("tokens per second of computing, for all requests"): numbers.whole(side.tokens_per_second),
        _("time to first token: median, 95 %"): pair(side.first_token),
        _("time per further token: median, 95 %"): pair(side.per_token),
        _("whole answer: median, 95 %"): pair(side.end_to_end),
        _("slots empty, % of the time"): numbers.percent(side.idle),
        _("slots empty while a request waited"): numbers.percent(side.idle_in_demand),
        _("padding tokens"): numbers.whole(side.padded_tokens),
        _("preemptions"): numbers.whole(side.preemptions),
        _("tokens computed in prefill (again after a preemption) · tokens found in the cache"): prefill,
        _("most blocks in use · saved by sharing"): f"{numbers.whole(side.peak_blocks)} · {numbers.whole(side.saved_blocks)}",
    }


def draw_check(run: Experiment) -> None:
    """Draw how many tokens are the same as in runs of single requests."""
    checks: list[Alone] = list(run.observations)
    count = sum(check.tokens for check in checks)
    parted = [check for check in checks if check.first_difference is not None]
    same = count - sum(check.tokens - (check.first_difference or 0) for check in parted)
    st.markdown(
        _(
            "{same} of {count} tokens are the same as alone. The largest difference of a logit is {gap}. "
            "{close} of the rolls were so close to a border that this difference could change the token."
        ).format(
            same=numbers.whole(same),
            count=numbers.whole(count),
            gap=written(max(check.largest_difference for check in checks), ".1g"),
            close=sum(check.close_rolls for check in checks),
        )
    )
    for check in parted:
        differs = _("Request {reader} differs from its single run from token {place} on: its random number lay close to a border.")
        st.caption(differs.format(reader=check.reader_id + 1, place=(check.first_difference or 0) + 1))
    st.caption(_("A pass with several requests adds numbers up in another order than a pass with one, so the last digits differ."))


def draw_curve(run: Experiment) -> None:
    """Draw the measured passes of every batch size beside what the memory's speed allows."""
    points: list[CurvePoint] = sorted({point.size: point for point in run.observations}.values(), key=lambda point: point.size)
    peak, weights = run.about
    table = pd.DataFrame(
        [
            {
                "size": point.size,
                "rate": point.tokens_per_second,
                "ceiling": point.ceiling,
                "wait": 1000 * point.seconds,
                "label": numbers.whole(point.tokens_per_second),
                "wait_label": numbers.duration(point.seconds),
                "tip": _("{readers} requests: {rate} tokens/s, {time} per token").format(
                    readers=point.size, rate=numbers.whole(point.tokens_per_second), time=numbers.duration(point.seconds)
                ),
            }
            for point in points
        ]
    )
    waits = table.drop(columns="label").rename(columns={"wait_label": "label"})
    rate, wait = _("Tokens per second, for all requests"), _("Milliseconds between two tokens of one request")
    left, right = st.columns(2, gap="large")
    with left:
        st.caption(rate)
        chart.draw(batch_curve, table, key="batching_rate", alt_text=rate, column="rate", unit="", ceiling=True)
    with right:
        st.caption(wait)
        chart.draw(batch_curve, waits, key="batching_wait", alt_text=wait, column="wait", unit="ms")
    first, last = points[0], points[-1]
    if first.size == 1 and last.size > 1:
        sentence = _(
            "With {size} requests per pass: {factor} times the tokens per second of one request, and {wait} instead of {alone} per token."
        )
        factor = numbers.decimal(last.tokens_per_second / first.tokens_per_second, 1)
        times = {"wait": numbers.duration(last.seconds), "alone": numbers.duration(first.seconds)}
        st.markdown(sentence.format(size=last.size, factor=factor, **times))
    st.caption(
        _(
            "Solid: measured. Dashed: **computed**, as if a pass only read {weights} of weights and all keys and values once, "
            "at the {speed} per second measured for this memory. A small model can be faster, because the "
            "processor's cache holds parts of it. With many requests, computing takes longer than reading."
        ).format(weights=numbers.size(weights), speed=numbers.size(peak.bytes_per_second))
        + " "
        + _(names.COUNTED_RATES["decoding"])
    )


@chart_spec(16)
def batch_curve(colours: Palette, column: str, unit: str, ceiling: bool = False) -> alt.TopLevelMixin:
    """A measured `column` by batch size; dashed: the computed upper bound. Columns: size, `column`, ceiling, label, tip."""
    across = alt.X(
        "size:Q",
        scale=alt.Scale(type="log", base=2, nice=False, padding=16),
        axis=grey_axis(colours, _("requests per pass"), values=[1, 2, 4, 8, 16, 32, 64], format="d"),
    )
    axis = grey_axis(
        colours, tickCount=4, labelExpr=f"datum.value ? datum.label + ' {_(unit)}' : '0'", format="~s", minExtent=56, maxExtent=56
    )
    up = alt.Y(f"{column}:Q", scale=alt.Scale(zero=True), axis=axis)
    base = CHART.encode(x=across)
    layers: list[Any] = []
    if ceiling:
        layers.append(base.mark_line(strokeWidth=1.5, strokeDash=[4, 4], color=colours.muted_text).encode(y=alt.Y("ceiling:Q", axis=axis)))
    layers.append(base.mark_line(strokeWidth=2.5, color=colours.dice).encode(y=up))
    layers.append(base.mark_point(filled=True, size=60, opacity=1, color=colours.dice).encode(y=up, tooltip=tips(("tip", _("measured")))))
    layers.append(base.mark_text(baseline="bottom", dy=-9, fontSize=12, color=colours.text).encode(y=up, text="label:N"))
    return alt.layer(*layers).properties(height=210)
