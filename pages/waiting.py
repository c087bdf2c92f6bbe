"""Waiting: one request among many as a timeline, and how the wait grows with the load."""

from __future__ import annotations

import math

import pandas as pd
import streamlit as st

from core.batching.scheduler import Policy
from core.experiments.waiting import POLICIES, LoadPoint, ServiceTimes, Watched, load_curve, pollaczek_khinchine, watch_one
from core.language import N_, _, ngettext, said
from pages.ui.charts import charts, palette, waiting_charts
from pages.ui.charts.legend import legend
from pages.ui.components.browser.browser import RoundTrip, round_trip
from pages.ui.experiments import experiment, results
from pages.ui.i18n import names, numbers
from pages.ui.i18n.example_texts import OPENINGS
from pages.ui.session import current, elements, provenance
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame, prompt_field

frame.page()

WITHIN = {Policy.ONE_AT_A_TIME: _("one at a time"), Policy.CONTINUOUS: _("continuous batching")}  # their names within a sentence
CURVE_KEYS = (
    _("one at a time, measured"),
    _("continuous batching, measured"),
    _("one at a time, computed (M/G/1)"),
)
NAME, CURVE = "waiting", "waiting_curve"
LENGTHS = (8, 16, 32, 64)
REQUESTS = 16  # of the curve


def now() -> provenance.Provenance:
    """What a watched request would be made with."""
    return provenance.now(
        {N_("the others"): N_("{count} others a second").format(count=rate), N_("the length"): N_("{count} tokens").format(count=length)}
    )


def now_curve() -> provenance.Provenance:
    """What a curve would be made with."""
    return provenance.now(prompt=False)


@current.error_boundary
def begin() -> None:
    """Send one request among others, to both servers."""
    current.anchor_notices(NAME)
    model, prompt, settings, count, often = current.model(), current.prompt(), current.settings(), length, float(rate)
    experiment.start(NAME, lambda: watch_one(model, prompt, OPENINGS, settings, count, often), now())


@current.error_boundary
def begin_curve() -> None:
    """Measure waits at several loads."""
    current.anchor_notices(CURVE)
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
                    "side": _(names.SIDES[policy]),
                    "kind": _(names.WAITS[name]),
                    "start": 1000 * start,
                    "stop": 1000 * (start + seconds),
                    "tip": f"{_(names.WAITS[name])}: {numbers.duration(seconds)}",
                    "order": number,
                }
            )
    return pd.DataFrame(rows)


def joined(one: Watched) -> list[tuple[str, float, float]]:
    """Its stretches, each word by itself, and waiting in one piece however many passes of others it was: name, start, seconds."""
    parts: list[tuple[str, float, float]] = []
    for part in one.stretches:
        if parts and parts[-1][0] == part.name != "decode":
            name, start, _end = parts.pop()
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
                st.caption(
                    _(
                        "Press the button: the same crowd comes twice, to a server that takes one at a time and to "
                        "one that batches continuously."
                    )
                )
            return
        elements.section(_("Your request, second by second"), _("measured, both by the server's own clock"))
        colours = palette.of(charts.theme())
        shades = waiting_charts.shades(colours)
        legend(*((shades[told], told) for told in said(names.WAITS).values()))
        table = stretches(found, trip)
        charts.draw(waiting_charts.timeline, table, key="waiting_timeline", alt_text=_("Your request, second by second"))
        extra = trip.network + trip.drawing if trip else 0.0
        for policy in found:
            st.caption(f"{_(names.SIDES[policy])}: …{found[policy].text[-110:]}".replace("\n", " "))
        figures(found, extra)
        both = [found[policy] for policy in POLICIES if policy in found]
        if not run.running and len(both) == 2 and all(one.finished for one in both):
            verdict(both, extra)
        if trip:
            told = (
                _(
                    "The servers' times are the recording's. Network ({network} there and back) and drawing "
                    "({drawing}, one frame) are this browser's, measured now."
                )
                if run.recorded_on
                else _(
                    "Network: {network} there and back between this browser and this server, half of it before "
                    "and half behind. Drawing: {drawing}, one frame of this browser. Both measured here."
                )
            )
            st.caption(told.format(network=numbers.duration(trip.network), drawing=numbers.duration(trip.drawing)))
        else:
            st.caption(_("Network and drawing are measured by your browser, which has not told them yet."))
        st.caption(
            _(
                "A server's clock runs only while it works: each policy has the model to itself, however "
                "busy this machine is with the other. With continuous batching, others share your passes: "
                "each of your words takes a little longer, and you wait far less for the first."
            )
        )


def figures(found: dict[Policy, Watched], extra: float) -> None:
    """The names that engineers have for it."""

    def told(seconds: float) -> str:
        return numbers.duration(seconds) if math.isfinite(seconds) else "…"

    lines = [
        _("| | first word after (TTFT) | each further word (ITL) | whole answer (end to end) | of it in the queue | ahead of you |"),
        "|---|---:|---:|---:|---:|---:|",
    ]
    for policy, one in found.items():
        first, whole = told(one.first_token + extra), told(one.total + extra) if one.finished else "…"
        queue = numbers.duration(one.spent("queue"))
        ahead = ngettext("{count}\u00a0other", "{count}\u00a0others", one.ahead).format(count=one.ahead)
        lines.append(f"| {_(names.SIDES[policy])} | {first} | {told(one.inter_token)} | {whole} | {queue} | {ahead} |")
    st.markdown("\n".join(lines))


def verdict(both: list[Watched], extra: float) -> None:
    """Who answered sooner."""
    quick, slow = sorted(both, key=lambda one: one.total)
    left, right = both
    st.markdown(
        _(
            "**{quick}** had your whole answer after {one} instead of {other}; the first word came after "
            "{first} and {second} ({left}, {right})."
        ).format(
            quick=_(names.SIDES[quick.policy]),
            one=numbers.duration(quick.total + extra),
            other=numbers.duration(slow.total + extra),
            first=numbers.duration(left.first_token + extra),
            second=numbers.duration(right.first_token + extra),
            left=WITHIN[left.policy],
            right=WITHIN[right.policy],
        )
    )


def curve() -> None:
    """Load against waiting: measured and computed."""
    with results.shown(CURVE, now_curve(), begin_curve) as run:
        times = next((one for one in run.seen if isinstance(one, ServiceTimes)), None)
        points = [one for one in run.seen if isinstance(one, LoadPoint)]
        if times is None or not points:
            if not run.running and not run.error:
                st.caption(
                    _(
                        "Press the button: {count} short requests, first each alone, then all of them at three loads, under both policies."
                    ).format(count=REQUESTS)
                )
            return
        colours = palette.of(charts.theme())
        legend(*zip((colours.dice, colours.computed, colours.muted_text), CURVE_KEYS, strict=True))
        rows = [
            {
                "load": 100 * one.load,
                "wait": 1000 * one.queue,
                "formula": None,
                "side": "one" if one.policy is Policy.ONE_AT_A_TIME else "many",
                "label": numbers.duration(one.queue),
                "tip": _("{load}, {rate} a second: {queue} in the queue, {total} in all").format(
                    load=numbers.percent(one.load),
                    rate=numbers.decimal(one.rate, 1),
                    queue=numbers.duration(one.queue),
                    total=numbers.duration(one.total),
                ),
            }
            for one in points
        ]
        most = max(one.load for one in points)
        for percent in range(round(100 * most) + 1):
            formula = pollaczek_khinchine(percent / 100 / times.mean, times.mean, times.second_moment)
            rows.append({"load": percent, "wait": None, "formula": 1000 * formula, "side": "formula", "label": "", "tip": ""})
        told = "; ".join(f"{_(names.SIDES[one.policy])} {numbers.percent(one.load)} {numbers.duration(one.queue)}" for one in points)
        charts.draw(
            waiting_charts.load_curve, pd.DataFrame(rows), key="waiting_load", alt_text=f"{_('Mean wait in the queue by load')}: {told}"
        )
        last = {one.policy: one for one in points}
        if len(last) == 2 and last[POLICIES[0]].load == last[POLICIES[1]].load:
            alone, shared = (numbers.duration(last[policy].queue) for policy in POLICIES)
            st.markdown(
                _("At {load} of the load: {one} in the queue one at a time, {other} with continuous batching.").format(
                    load=numbers.percent(last[POLICIES[0]].load), one=alone, other=shared
                )
            )
        least, longest = numbers.duration(min(times.seconds)), numbers.duration(max(times.seconds))
        st.caption(
            _(
                "Dots: the mean wait of {count} requests from coming to their first pass, **measured**. "
                "Dashed: λ E[S²] / (2 (1 − λ E[S])), **computed** from the {count} service times that were "
                "measured alone (mean {mean}, between {least} and {most}). It is a mean over endless time. A "
                "few requests scatter around it, and as they begin with an empty queue, near the full load "
                "they do not live to see the long one that builds up. For continuous batching it does not "
                "hold: there, nobody has the model alone."
            ).format(count=len(times.seconds), mean=numbers.duration(times.mean), least=least, most=longest)
        )


frame.header(
    _("Where did the seconds go?"),
    _("latency: queue, time to first token, time per token"),
    _(
        "You send one request, and others send theirs too. What you feel is the way to the server, "
        "the queue, the reading of your prompt, every single word, and the drawing. The others are "
        "real requests to the same model."
    ),
)
with elements.error_boundary():
    prompt_field.own_text()
    with st.container(horizontal=True, vertical_alignment="bottom", key="waiting_controls"):
        rate = st.slider(
            _("Others a second"),
            1,
            40,
            12,
            key="waiting_rate",
            help=_("How many others arrive a second, at random moments; sixteen come in all, and yours is the ninth to come."),
            width=260,
            **PERSISTENT,
        )
        length = (
            st.segmented_control(_("Tokens of your answer"), LENGTHS, default=16, key="waiting_length", required=True, **PERSISTENT) or 16
        )
        state = experiment.of(NAME)
        own = state.seen and not state.recorded_on
        if state.running:
            st.button(_("Stop"), on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="waiting_stop")
        else:
            label = _("Once more") if own else _("Send it")
            # A callback: the page may be drawn anew at that moment, for the browser's round trip, and a press is not lost by it.
            st.button(label, on_click=begin, type="primary", icon=":material/send:", key="waiting_start")
    trip = round_trip(0, key="waiting_trip")
    results.live(course, NAME, key="waiting_course")
    elements.section(_("How waiting grows with the load"), _("queueing: M/G/1, Pollaczek-Khinchine"))
    st.caption(
        _(
            "At half the load hardly anybody waits; close to the full load everybody does. The load is "
            "what comes in, as a share of what one at a time can serve."
        )
    )
    state = experiment.of(CURVE)
    own = state.seen and not state.recorded_on
    if state.running:
        st.button(_("Stop"), on_click=experiment.stop, args=(CURVE,), icon=":material/stop:", key="waiting_curve_stop")
    else:
        label = _("Once more") if own else _("Measure it here")
        st.button(label, on_click=begin_curve, icon=":material/show_chart:", key="waiting_curve_start")
    results.live(curve, CURVE, key="waiting_curve_course")
    st.caption(
        _(
            "This scheduler is made to be watched. What it shows of queues and batches holds for servers "
            "such as vLLM, too; the milliseconds are those of the machine that it ran on."
        )
    )
