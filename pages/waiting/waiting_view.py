"""What Waiting draws: one request as a timeline and a table under each policy, the wait at several loads, and one run delivered twice."""

from __future__ import annotations

import math
from collections.abc import Sequence

import altair as alt
import pandas as pd
import streamlit as st

from core.batching.scheduler import Policy
from core.experiments.waiting.load import POLICIES, LoadPoint, ServiceTimes, Watched, pollaczek_khinchine
from core.experiments.waiting.streamed_or_buffered import deliver, words_of
from core.record.step import Step
from pages.ui.charts.css_colours import Palette, legend
from pages.ui.charts.parts import CHART, chart_spec, grey_axis, shades, tips
from pages.ui.components.browser.browser import RoundTrip
from pages.ui.components.stream_stage.stream_stage import stream_stage
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _, ngettext, said
from pages.ui.session import elements
from pages.ui.views import chart

SIDES = {Policy.ONE_AT_A_TIME: N_("One at a time"), Policy.CONTINUOUS: N_("Continuous batching")}
WAITS = {
    "network": N_("network"),
    "queue": N_("queue"),
    "preempted": N_("preempted"),
    "prefill": N_("prompt is read (prefill)"),
    "decode": N_("tokens (decode)"),
    "stalled": N_("stalled"),
    "drawing": N_("drawing"),
}

PLAYED = 8.0  # seconds that the playback takes at least
SHADES = ("model", "muted_text", "other", "computed", "dice", "doubt", "reused")  # of the kinds of time in `WAITS`
_TIME = "datum.value >= 1000 ? format(datum.value / 1000, '~r') + ' s' : format(datum.value, '~r') + ' ms'"


def draw(path: Sequence[Step], typed: str) -> None:
    """Play both deliveries of this run. typed: the words that must not appear."""
    both = deliver(path, words_of(typed))
    slower = max(1.0, PLAYED / both.total if both.total else 1.0)
    stream_stage(path, both.found_at, both.first_token, both.total, slower, key="compare_stage")
    times = _("First token after {first}, everything after {total}: measured.").format(
        first=numbers.duration(both.first_token), total=numbers.duration(both.total)
    )
    if both.found is None:
        outcome = _("The filter found nothing: both ways show the same text, the whole answer {later} later.").format(
            later=numbers.duration(both.total - both.first_token)
        )
    else:
        outcome = _(
            "The filter found “{word}” at token {place}. By then the stream had shown {count} words; the whole answer shows none."
        ).format(word=both.found, place=(both.found_at or 0) + 1, count=len(both.already_seen.split()))
    st.markdown(f"{outcome} {times}")
    if slower > 1.5:
        st.caption(_("Played {factor} times slower than it was").format(factor=numbers.decimal(slower, 0)))


@chart_spec(8)
def timeline_chart(colours: Palette) -> alt.TopLevelMixin:
    """One bar per side, divided into kinds of time. Columns: side, kind, start, stop (ms), tip, order."""
    axis = grey_axis(colours, labelExpr=_TIME, tickCount=6)
    kinds = dict(zip(said(WAITS).values(), (getattr(colours, name) for name in SHADES), strict=True))
    bars = CHART.mark_bar(height={"band": 0.72}, stroke=colours.page, strokeWidth=0.6).encode(
        y=alt.Y("side:N", sort=list(said(SIDES).values()), axis=grey_axis(colours, minExtent=120, labelLimit=150)),
        x=alt.X("start:Q", axis=axis, scale=alt.Scale(nice=False)),
        x2="stop:Q",
        color=shades("kind", kinds),
        tooltip=tips(("tip", _("time"))),
    )
    return alt.layer(bars).properties(height=120)


@chart_spec(8)
def load_curve(colours: Palette) -> alt.TopLevelMixin:
    """Mean wait by load: dots measured, dashed computed.

    Columns: load (%), wait, formula (ms), side ("one", "many", "formula"), label, tip.
    """
    across = alt.X(
        "load:Q",
        scale=alt.Scale(domain=[0, 100], nice=False),
        axis=grey_axis(
            colours,
            _("load, as a share of what one at a time can serve"),
            values=[0, 25, 50, 75, 100],
            labelExpr="datum.value + ' %'",
            offset=20,
        ),
    )
    axis = grey_axis(colours, tickCount=4, labelExpr=_TIME, minExtent=52, maxExtent=52)
    shade = shades("side", {"one": colours.dice, "many": colours.computed})
    base = CHART.encode(x=across)
    computed = base.transform_filter("datum.side === 'formula'").encode(y=alt.Y("formula:Q", axis=axis))
    measured = base.transform_filter("isValid(datum.wait)")
    up = alt.Y("wait:Q", axis=axis)

    def number(side: str, below: int) -> alt.Chart:
        label = measured.transform_filter(f"datum.side === '{side}'").mark_text(dy=below, fontSize=12, color=colours.text)
        return label.encode(y=up, text="label:N")

    layers = (
        computed.mark_line(strokeWidth=1.5, strokeDash=[4, 4], color=colours.muted_text),
        measured.mark_line(strokeWidth=2).encode(y=up, color=shade),
        measured.mark_point(filled=True, size=70, opacity=1).encode(y=up, color=shade, tooltip=tips(("tip", _("measured")))),
        number("one", -12),
        number("many", 14),
    )
    return alt.layer(*layers).properties(height=240)


def draw_request(requests: Sequence[Watched], trip: RoundTrip | None, recorded: bool, running: bool) -> None:
    """Draw the watched request under each policy. trip: this browser's network and drawing times, None before they are measured."""
    elements.section(_("Your request over time"), _("measured, both by the server's own clock"))
    kinds = list(zip(SHADES, said(WAITS).values(), strict=True))
    legend(*kinds)
    chart.draw(timeline_chart, timeline(requests, trip), key="waiting_timeline", alt_text=_("Your request over time"), legend=kinds)
    for request in requests:
        st.caption(f"{_(SIDES[request.policy])}: …{request.text[-110:]}".replace("\n", " "))
    extra = trip.network + trip.drawing if trip else 0.0
    figures(requests, extra)
    if not running and len(requests) == 2 and all(request.finished for request in requests):
        quick, slow = sorted(requests, key=lambda request: request.total)
        answer = _("**{quick}** completed your answer after {one}; the other policy took {other}.").format(
            quick=_(SIDES[quick.policy]), one=numbers.duration(quick.total + extra), other=numbers.duration(slow.total + extra)
        )
        st.markdown(answer)
    if trip is None:
        st.caption(_("Your browser has not measured network and drawing yet."))
    else:
        where = (
            _("The server's times are those of the recorded result. Network ({network}) and drawing ({drawing}) are measured now.")
            if recorded
            else _("Network ({network} there and back) and drawing ({drawing}, one frame) are measured in this browser.")
        )
        st.caption(where.format(network=numbers.duration(trip.network), drawing=numbers.duration(trip.drawing)))
    st.caption(
        _(
            "With continuous batching, your tokens share their passes with other requests. Each token "
            "takes longer, but the first one comes earlier."
        )
    )


def timeline(requests: Sequence[Watched], trip: RoundTrip | None) -> pd.DataFrame:
    """Return one row per span, in milliseconds: side, kind, start, stop."""
    rows = []
    for request in requests:
        before = trip.network / 2 if trip else 0.0
        parts = [("network", 0.0, before)] if trip else []
        parts += [(name, before + start, seconds) for name, start, seconds in joined(request)]
        if trip and request.finished:
            parts += [("network", before + request.total, before), ("drawing", 2 * before + request.total, trip.drawing)]
        for number, (name, start, seconds) in enumerate(parts):
            kind = _(WAITS[name])
            times = {"start": 1000 * start, "stop": 1000 * (start + seconds), "tip": f"{kind}: {numbers.duration(seconds)}"}
            rows.append({"side": _(SIDES[request.policy]), "kind": kind, **times, "order": number})
    return pd.DataFrame(rows)


def joined(request: Watched) -> list[tuple[str, float, float]]:
    """Return name, start and seconds of the spans; consecutive ones of a kind are joined, except the tokens."""
    parts: list[tuple[str, float, float]] = []
    for part in request.stretches:
        if parts and parts[-1][0] == part.name != "decode":
            name, start, _end = parts.pop()
            parts.append((name, start, part.start + part.seconds - start))
        else:
            parts.append((part.name, part.start, part.seconds))
    return parts


def figures(requests: Sequence[Watched], extra: float) -> None:
    """Draw the latencies as a table. extra: seconds of network and drawing."""

    def seconds(value: float) -> str:
        return numbers.duration(value) if math.isfinite(value) else "…"

    head = (_("policy"), _("first token (TTFT)"), _("each further token (ITL)"), _("whole answer"), _("in the queue"), _("before you"))
    rows = []
    for request in requests:
        ahead = ngettext("{count}\u00a0request", "{count}\u00a0requests", request.ahead).format(count=request.ahead)
        total = seconds(request.total + extra) if request.finished else "…"
        queue = numbers.duration(request.spent("queue"))
        rows.append((_(SIDES[request.policy]), seconds(request.first_token + extra), seconds(request.inter_token), total, queue, ahead))
    elements.table(head, rows)


def _percentiles(points: list[LoadPoint]) -> None:
    """Draw the percentiles of both waits at each load."""
    rows = [
        (
            numbers.percent(point.reached),
            _(SIDES[point.policy]),
            " · ".join(map(numbers.duration, point.queue_percentiles)),
            " · ".join(map(numbers.duration, point.total_percentiles)),
        )
        for point in points
        if point.queue_percentiles
    ]
    if rows:
        head = (_("load, reached"), _("served"), _("in the queue: p50, p95, p99"), _("to the last token: p50, p95, p99"))
        elements.table(head, rows)


def draw_curve(run: Experiment) -> None:
    """Draw the mean wait at each load, measured, and computed for one request at a time."""
    times = next((event for event in run.observations if isinstance(event, ServiceTimes)), None)
    points = [event for event in run.observations if isinstance(event, LoadPoint)]
    if times is None or not points:
        return
    kinds = (
        ("dice", _("one at a time, measured")),
        ("computed", _("continuous batching, measured")),
        ("muted_text", _("one at a time, computed (M/G/1)")),
    )
    legend(*kinds)
    shown = "; ".join(f"{_(SIDES[point.policy])} {numbers.percent(point.load)} {numbers.duration(point.queue)}" for point in points)
    alt_text = f"{_('Mean wait in the queue by load')}: {shown}"
    chart.draw(
        load_curve,
        load_rows(points, times),
        key="waiting_load",
        alt_text=alt_text,
        title=_("Mean wait in the queue by load"),
        legend=kinds,
    )
    last = {point.policy: point for point in points}
    if len(last) == 2 and last[POLICIES[0]].load == last[POLICIES[1]].load:
        alone, shared = (numbers.duration(last[policy].queue) for policy in POLICIES)
        sentence = _("At a planned load of {load}: {one} in the queue one at a time, {other} with continuous batching.")
        st.markdown(sentence.format(load=numbers.percent(last[POLICIES[0]].load), one=alone, other=shared))
    _percentiles(points)
    st.caption(
        _(
            "Dots: the mean wait of {count} requests from arrival to their first pass, **measured**. Dashed: λ E[S²] / (2 (1 − λ E[S])), "
            "**computed** from the service times of the same requests alone (mean {mean}, {least} to {most}). The formula is the mean over "
            "unlimited time with one request at a time. A run of {count} requests differs from it; near the full load its wait is shorter."
        ).format(
            count=len(times.seconds),
            mean=numbers.duration(times.mean),
            least=numbers.duration(min(times.seconds)),
            most=numbers.duration(max(times.seconds)),
        )
    )


def load_rows(points: Sequence[LoadPoint], times: ServiceTimes) -> pd.DataFrame:
    """Return the rows of the load curve: load in percent, wait and formula in milliseconds."""
    rows = []
    for load_point in points:
        tip = _("{load}, {rate} a second: {queue} in the queue, {total} in all").format(
            load=numbers.percent(load_point.load),
            rate=numbers.decimal(load_point.rate, 1),
            queue=numbers.duration(load_point.queue),
            total=numbers.duration(load_point.total),
        )
        side = "one" if load_point.policy is Policy.ONE_AT_A_TIME else "many"
        load = load_point.load if math.isnan(load_point.reached) else load_point.reached
        row = {
            "load": 100 * load,
            "wait": 1000 * load_point.queue,
            "formula": None,
            "side": side,
            "label": numbers.duration(load_point.queue),
        }
        rows.append(row | {"tip": tip})
    for percent in range(round(100 * max(point.load for point in points)) + 1):
        formula = 1000 * pollaczek_khinchine(percent / 100 / times.mean, times.mean, times.second_moment)
        rows.append({"load": percent, "wait": None, "formula": formula, "side": "formula", "label": "", "tip": ""})
    return pd.DataFrame(rows)
