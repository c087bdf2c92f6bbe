"""Waiting: one request among many as a timeline, and how the wait grows with the load."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core.labs.waiting import POLICIES, LoadPoint, ServiceTimes, Watched, load_curve, pollaczek_khinchine, watch_one
from core.serving.scheduler import Policy
from pages.parts.charts import charts, waiting_charts
from pages.parts.components.round_trip.round_trip import RoundTrip, round_trip
from pages.parts.layout import frame, palette, prompt_field, results
from pages.parts.runtime import experiment
from pages.parts.session import current, provenance
from pages.parts.session.state import STAYS
from pages.parts.text import numbers
from pages.parts.text import waiting_words as words
from pages.parts.text.serving_words import OPENINGS

frame.page()
NAME, CURVE = "waiting", "waiting_curve"
LENGTHS = (8, 16, 32, 64)
REQUESTS = 16  # of the curve


def now() -> provenance.Provenance:
    """What a watched request would be made with."""
    return provenance.now({"the others": f"{rate} others a second", "the length": f"{length} tokens"})


def now_curve() -> provenance.Provenance:
    """What a curve would be made with."""
    return provenance.now(prompt=False)


@current.error_boundary
def begin() -> None:
    """Send one request among others, to both servers."""
    current.at(NAME)
    model, prompt, settings, count, often = current.model(), current.prompt(), current.settings(), length, float(rate)
    experiment.start(NAME, lambda: watch_one(model, prompt, OPENINGS, settings, count, often), now())


@current.error_boundary
def begin_curve() -> None:
    """Measure waits at several loads."""
    current.at(CURVE)
    model, settings = current.model(), current.settings()
    experiment.start(CURVE, lambda: load_curve(model, OPENINGS, settings, requests=REQUESTS), now_curve())


def stretches(found: dict[Policy, Watched], trip: RoundTrip | None) -> pd.DataFrame:
    """Everything that happened, one row per stretch: who, what, from when to when in milliseconds."""
    rows = []
    for policy, one in found.items():
        before = trip.network / 2 if trip else 0.0
        parts = [("network", 0.0, before)] if trip else []
        parts += [(name, before + start, seconds) for name, start, seconds in joined(one)]
        if trip and one.finished:
            parts += [("network", before + one.total, before), ("drawing", 2 * before + one.total, trip.drawing)]
        for number, (name, start, seconds) in enumerate(parts):
            rows.append(
                {
                    "side": words.SIDES[policy],
                    "kind": words.KINDS[name],
                    "start": 1000 * start,
                    "stop": 1000 * (start + seconds),
                    "tip": f"{words.KINDS[name]}: {numbers.duration(seconds)}",
                    "order": number,
                }
            )
    return pd.DataFrame(rows)


def joined(one: Watched) -> list[tuple[str, float, float]]:
    """Its stretches, each word by itself, and waiting in one piece however many passes of others it was: name, start, seconds."""
    parts: list[tuple[str, float, float]] = []
    for part in one.stretches:
        if parts and parts[-1][0] == part.name != "decode":
            name, start, _ = parts.pop()
            parts.append((name, start, part.start + part.seconds - start))
        else:
            parts.append((part.name, part.start, part.seconds))
    return parts


def course() -> None:
    """All that moves while the request is on its way."""
    with results.shown(NAME, now(), begin) as run:
        latest: dict[Policy, Watched] = {one.policy: one for one in run.seen}
        found = {policy: latest[policy] for policy in POLICIES if policy in latest}
        if not found:
            if not run.running and not run.error:
                st.caption(words.FIRST)
            return
        frame.section(words.TIMELINE, words.TIMELINE_TERM)
        colours = palette.of(charts.theme())
        shades = waiting_charts.shades(colours)
        frame.legend(*((shades[told], told) for told in words.KINDS.values()))
        table = stretches(found, trip)
        charts.draw(waiting_charts.timeline, table, key="waiting_timeline", alt_text=words.TIMELINE)
        extra = trip.network + trip.drawing if trip else 0.0
        for policy in found:
            st.caption(f"{words.SIDES[policy]}: …{found[policy].text[-110:]}".replace("\n", " "))
        figures(found, extra)
        both = [found[policy] for policy in POLICIES if policy in found]
        if not run.running and len(both) == 2 and all(one.finished for one in both):
            verdict(both, extra)
        if trip:
            told = words.NETWORK_NOW if run.recorded_on else words.NETWORK
            st.caption(told.format(network=numbers.duration(trip.network), drawing=numbers.duration(trip.drawing)))
        else:
            st.caption(words.NO_NETWORK)
        st.caption(words.CLOCK)


def figures(found: dict[Policy, Watched], extra: float) -> None:
    """The names that engineers have for it."""

    def told(seconds: float) -> str:
        return numbers.duration(seconds) if math.isfinite(seconds) else "…"

    lines = [words.HEAD, "|---|---:|---:|---:|---:|---:|"]
    for policy, one in found.items():
        first, whole = told(one.first_token + extra), told(one.total + extra) if one.finished else "…"
        queue = numbers.duration(one.spent("queue"))
        ahead = words.OTHERS[one.ahead != 1].format(count=one.ahead)
        lines.append(f"| {words.SIDES[policy]} | {first} | {told(one.inter_token)} | {whole} | {queue} | {ahead} |")
    st.markdown("\n".join(lines))


def verdict(both: list[Watched], extra: float) -> None:
    """Who answered sooner."""
    quick, slow = sorted(both, key=lambda one: one.total)
    left, right = both
    st.markdown(
        words.VERDICT.format(
            quick=words.SIDES[quick.policy],
            one=numbers.duration(quick.total + extra),
            other=numbers.duration(slow.total + extra),
            first=numbers.duration(left.first_token + extra),
            second=numbers.duration(right.first_token + extra),
            left=words.SIDES[left.policy].lower(),
            right=words.SIDES[right.policy].lower(),
        )
    )


def curve() -> None:
    """Load against waiting: measured and computed."""
    with results.shown(CURVE, now_curve(), begin_curve) as run:
        times = next((one for one in run.seen if isinstance(one, ServiceTimes)), None)
        points = [one for one in run.seen if isinstance(one, LoadPoint)]
        if times is None or not points:
            if not run.running and not run.error:
                st.caption(words.CURVE_FIRST.format(count=REQUESTS))
            return
        colours = palette.of(charts.theme())
        frame.legend(*zip((colours.dice, colours.computed, colours.muted_text), words.CURVE_KEYS, strict=True))
        rows = [
            {
                "load": 100 * one.load,
                "wait": 1000 * one.queue,
                "formula": None,
                "side": "one" if one.policy is Policy.ONE_AT_A_TIME else "many",
                "label": numbers.duration(one.queue),
                "tip": f"{numbers.percent(one.load)}, {one.rate:.1f} a second: {numbers.duration(one.queue)} in the queue, "
                f"{numbers.duration(one.total)} in all",
            }
            for one in points
        ]
        most = max(one.load for one in points)
        for percent in range(round(100 * most) + 1):
            formula = pollaczek_khinchine(percent / 100 / times.mean, times.mean, times.second_moment)
            rows.append({"load": percent, "wait": None, "formula": 1000 * formula, "side": "formula", "label": "", "tip": ""})
        told = "; ".join(f"{words.SIDES[one.policy]} {numbers.percent(one.load)} {numbers.duration(one.queue)}" for one in points)
        charts.draw(waiting_charts.load_curve, pd.DataFrame(rows), key="waiting_load", alt_text=f"{words.CURVE_ALT}: {told}")
        last = {one.policy: one for one in points}
        if len(last) == 2 and last[POLICIES[0]].load == last[POLICIES[1]].load:
            alone, shared = (numbers.duration(last[policy].queue) for policy in POLICIES)
            st.markdown(words.CURVE_VERDICT.format(load=numbers.percent(last[POLICIES[0]].load), one=alone, other=shared))
        least, longest = numbers.duration(min(times.seconds)), numbers.duration(max(times.seconds))
        st.caption(words.CURVE_WHY.format(count=len(times.seconds), mean=numbers.duration(times.mean), least=least, most=longest))


frame.header(words.TITLE, words.TERM, words.LEAD)
with frame.error_boundary():
    prompt_field.own_text()
    with st.container(horizontal=True, vertical_alignment="bottom", key="waiting_controls"):
        rate = st.slider(words.RATE, 1, 40, 12, key="waiting_rate", help=words.RATE_HELP, width=260, **STAYS)
        length = st.segmented_control(words.LENGTH, LENGTHS, default=16, key="waiting_length", required=True, **STAYS) or 16
        state = experiment.of(NAME)
        own = state.seen and not state.recorded_on
        if state.running:
            st.button(words.STOP, on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="waiting_stop")
        else:
            label = words.AGAIN if own else words.START
            # A callback: the page may be drawn anew at that moment, for the browser's round trip, and a press is not lost by it.
            st.button(label, on_click=begin, type="primary", icon=":material/send:", key="waiting_start")
    trip = round_trip(0, key="waiting_trip")
    results.live(course, NAME, key="waiting_course")
    frame.section(words.CURVE, words.CURVE_TERM)
    st.caption(words.CURVE_LEAD)
    state = experiment.of(CURVE)
    own = state.seen and not state.recorded_on
    if state.running:
        st.button(words.STOP, on_click=experiment.stop, args=(CURVE,), icon=":material/stop:", key="waiting_curve_stop")
    else:
        label = words.CURVE_AGAIN if own else words.CURVE_START
        st.button(label, on_click=begin_curve, icon=":material/show_chart:", key="waiting_curve_start")
    results.live(curve, CURVE, key="waiting_curve_course")
    st.caption(words.HONEST)
