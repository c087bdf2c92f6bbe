"""Many requests to a server at once: when each token arrived, and what the server reports about itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import altair as alt
import pandas as pd
import streamlit as st

from core.experiments.batching.burst import Arrived, MetricsAt, burst, figures, rate_over_time
from core.experiments.shared.planned_requests import PlannedRequest, planned_requests
from core.remote.metrics import batch_size
from pages.batching.serving_board import serving_board
from pages.batching.serving_board_rows import Board
from pages.ui.charts.css_colours import Palette
from pages.ui.charts.parts import CHART, chart_spec, grey_axis
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, provenance
from pages.ui.views import chart

NAME = "batching_burst"
COUNTS, LENGTHS = (2, 4, 8, 16), (32, 64, 128, 256)


def burst_page(prompt_field: Callable[[], None]) -> None:
    """Draw the controls and the result. prompt_field: draws the field of the prompt."""
    st.caption(_("The model is on a server with its own scheduler. These are real requests, sent together, and timed here."))
    prompt_field()
    with st.container(horizontal=True, vertical_alignment="bottom", key="burst_controls"):
        count = elements.choice(_("Requests"), COUNTS, 8, "burst_readers")
        length = elements.choice(_("Tokens each"), LENGTHS, 64, "burst_length")
        now = provenance.now(requests=count, length=length)

        def who() -> tuple[PlannedRequest, ...]:
            prompts = (current.prompt(), *EXAMPLES.openings[1:])
            return planned_requests(current.model(), prompts, count, length, length, settings=current.settings())

        def send() -> Iterator[Any]:
            return burst(current.model(), who())

        begin = results.starter(NAME, now, send, who)
        results.start_button(NAME, _("Send"), begin, key="burst_start", type="primary", icon=":material/group_add:")
    hint = _("Press the button: {count} requests at the same time, with your settings. The server rolls its own dice.")
    results.part(NAME, now, begin, draw, hint.format(count=count))


def draw(run: Experiment) -> None:
    """Draw the requests, and what the server reports."""
    arrived(run.about, run.observations)
    reported([event for event in run.observations if isinstance(event, MetricsAt)], run.observations)


def board_of(who: tuple[PlannedRequest, ...], observations: tuple[Arrived | MetricsAt, ...]) -> Board:
    """Return the requests as rows: waiting until their first token, decoding until their last."""
    board = Board.of(who, sides=1)
    side = board.sides[0]
    now = max(event.seconds for event in observations)
    first: dict[int, float] = {}
    last: dict[int, float] = {}
    for event in observations:
        if isinstance(event, Arrived):
            side.texts[event.reader_id] += event.text
            if event.tokens > 0:
                first.setdefault(event.reader_id, event.seconds)
                last[event.reader_id] = event.seconds
            side.done[event.reader_id] |= event.done and not event.error
        elif event.said.running is not None:
            start = side.slots[-1][1] if side.slots else 0.0
            side.slots.append([start, event.seconds, event.said.running])
    for number in (request.reader_id for request in who):
        begun = first.get(number, now)
        side.spans[number].append([0.0, begun, "queued"])
        if number in last:
            end = last[number] if side.done[number] else now
            side.spans[number].append([begun, max(end, begun), "decode"])
    return board


def arrived(who: tuple[PlannedRequest, ...], observations: tuple[Arrived | MetricsAt, ...]) -> None:
    """Draw the requests, and their latencies."""
    board = board_of(who, observations)
    most = max([len(who), *(int(rows) for _kind, _time, rows in board.sides[0].slots)])
    serving_board(
        board,
        (_("Measured here"),),
        (_("Grey: waits for its first token (network, queue and prompt). Blue: tokens arrive."),),
        (most,),
        key="burst_board",
        clock=max(event.seconds for event in observations),
    )
    measured = figures(observations)
    if measured.tokens:
        pairs = {"first": measured.first_token, "each": measured.per_token}
        values = {name: numbers.duration(pair[0]) if pair[0] == pair[0] else "–" for name, pair in pairs.items()}
        values |= {f"slow_{name}": numbers.duration(pair[1]) if pair[1] == pair[1] else "–" for name, pair in pairs.items()}
        rate, seconds = numbers.whole(measured.tokens_per_second), numbers.duration(measured.seconds)
        st.markdown(
            _(
                "**{rate} tokens per second** for all requests ({tokens} in {seconds}). First token after {first} "
                "(median; 95 %: {slow_first}), each further one after {each} (95 %: {slow_each})."
            ).format(rate=rate, tokens=numbers.whole(measured.tokens), seconds=seconds, **values)
        )
    for event in observations:
        if isinstance(event, Arrived) and event.error:
            st.caption(_("Request {reader}: {error}").format(reader=event.reader_id + 1, error=event.error))


def reported(metrics: list[MetricsAt], observations: tuple[Arrived | MetricsAt, ...]) -> None:
    """Draw what the server reports over time, and the tokens per second counted here."""
    elements.section(_("What the server reports"), _("over all its requests"))
    rows: list[dict[str, object]] = []
    for reading in metrics:
        for name, value in ((_("running"), reading.said.running), (_("waiting"), reading.said.waiting)):
            if value is not None:
                rows.append({"chart": "requests", "seconds": reading.seconds, "value": float(value), "series": name})
        if reading.said.cache_use is not None:
            rows.append(
                {"chart": "cache", "seconds": reading.seconds, "value": 100 * reading.said.cache_use, "series": _("KV cache in use")}
            )
    rows += [
        {"chart": "rate", "seconds": at, "value": rate, "series": _("tokens per second (counted here)")}
        for at, rate in rate_over_time(observations)
    ]
    table = pd.DataFrame(rows, columns=["chart", "seconds", "value", "series"])
    entries = (
        ("requests", f"{_('running')} · {_('waiting')}", ""),
        ("cache", _("KV cache in use"), " %"),
        ("rate", _("tokens per second (counted here)"), ""),
    )
    for home, (name, title, unit) in zip(st.columns(3, gap="large"), entries, strict=True):
        part = table[table["chart"] == name]
        with home:
            st.caption(title)
            if len(part):
                chart.draw(over_time, part, key=f"burst_{name}", alt_text=title, unit=unit)
            else:
                st.caption("–")
    if all(metric.said.running is None and metric.said.cache_use is None for metric in metrics):
        st.caption(_("This server reports no numbers (vLLM: /metrics; llama-server: --metrics and --slots)."))
    rows_a_pass = batch_size(metrics[0].said, metrics[-1].said) if len(metrics) > 1 else None
    if rows_a_pass is not None:
        st.markdown(_("The server counts {rows} requests per pass on average.").format(rows=numbers.decimal(rows_a_pass, 1)))
    st.caption(
        _(
            "On few cores, batching can shorten the wait for the first token without more tokens per second. "
            "A llama-server without continuous batching reports waiting slots as running."
        )
    )


@chart_spec(8)
def over_time(colours: Palette, unit: str = "") -> alt.TopLevelMixin:
    """One or two numbers by seconds, as steps. Columns: seconds, value, series."""
    across = alt.X(
        "seconds:Q",
        scale=alt.Scale(nice=False, domainMin=0),
        axis=grey_axis(colours, tickCount=5, labelExpr="format(datum.value, '~r') + ' s'"),
    )
    axis = grey_axis(colours, tickCount=4, labelExpr=f"datum.label + '{unit}'", minExtent=40, maxExtent=40)
    shade = alt.Color("series:N", sort=None, legend=None, scale=alt.Scale(range=[colours.dice, colours.other]))
    line = CHART.mark_line(interpolate="step-after", strokeWidth=2).encode(x=across, y=alt.Y("value:Q", axis=axis), color=shade)
    return alt.layer(line).properties(height=150)
