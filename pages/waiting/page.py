"""Waiting: one request among others, how waiting grows with the load, and one run delivered as a stream and as a whole."""

from __future__ import annotations

import streamlit as st

from core.experiments.shared.side_by_side import Column, side_by_side
from core.experiments.waiting.load import AFTER, BEFORE, Watched, load_curve, watch_one
from pages.ui.components.browser.browser import round_trip
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.example_texts import EXAMPLES
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.shell import frame, prompt_field
from pages.waiting import WAITING_VIEWS, waiting_view

frame.page()
NAME, CURVE, STREAM = "waiting", "waiting_curve", "compare_stream"
LENGTHS = (8, 16, 32, 64)
REQUESTS = (40, 200)  # of the curve


def request_view() -> None:
    """Draw one request among others, then the wait at several loads."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="waiting_controls"):
        rate_help = _("How many other requests arrive per second, at random times. {before} arrive before yours and {after} after it.")
        rate_help = rate_help.format(before=numbers.count(BEFORE), after=numbers.count(AFTER))
        rate = st.slider(_("Other requests per second"), 1, 40, 12, key="waiting_rate", help=rate_help, width=260, **PERSISTENT)
        length = elements.choice(_("Tokens of your answer"), LENGTHS, 16, "waiting_length")
        now = provenance.now(others=rate, length=length)
        begin = results.starter(
            NAME, now, lambda: watch_one(current.model(), current.prompt(), EXAMPLES.openings, current.settings(), length, float(rate))
        )
        results.start_button(NAME, _("Send the request"), begin, type="primary", icon=":material/send:")
    trip = round_trip(0, key="waiting_trip")

    def draw(run: Experiment) -> None:
        latest: dict[object, Watched] = {watched.policy: watched for watched in run.observations}
        waiting_view.draw_request(list(latest.values()), trip, bool(run.recorded_on), run.running)

    hint = _("Press the button. The same requests are served twice: one at a time, and with continuous batching.")
    results.part(NAME, now, begin, draw, hint)

    elements.section(_("How waiting grows with the load"), _("queueing: M/G/1, Pollaczek-Khinchine"))
    st.caption(_("The load is the work that arrives, in percent of what a server with one request at a time can do."))
    now = provenance.now(prompt=False)
    count = elements.choice(_("Requests"), REQUESTS, REQUESTS[-1], "waiting_requests")
    begin = results.starter(CURVE, now, lambda: load_curve(current.model(), EXAMPLES.openings, current.settings(), requests=count))
    results.start_button(CURVE, _("Measure"), begin, icon=":material/show_chart:")
    hint = _("Press the button: {count} short requests, first each alone, then all of them at three loads, under both policies.")
    results.part(CURVE, now, begin, waiting_view.draw_curve, hint.format(count=count))
    st.caption(_("Servers such as vLLM queue and batch in the same way. The milliseconds are those of this machine."))


def delivery() -> None:
    """Draw one run twice: streamed while it is written, and as a whole after a check."""
    st.caption(_("The same run, delivered twice. A streamed token cannot be taken back. A whole answer is checked first and shown late."))
    now = provenance.now()

    begin = results.starter(STREAM, now, lambda: side_by_side([Column(current.model(), current.settings())], current.prompt(), 80, top_n=1))
    with st.container(horizontal=True, vertical_alignment="bottom", key="compare_stream_controls"):
        words_help = _("A simple filter. The stream stops when one of these words is complete. The whole answer is then not shown at all.")
        words = st.text_input(
            _("Words that must not appear"), "and", max_chars=400, key="compare_words", help=words_help, width=320, **PERSISTENT
        )
        results.start_button(STREAM, _("Write"), begin, type="primary", icon=":material/edit:")

    def draw(run: Experiment) -> None:
        if not run.running:
            waiting_view.draw(run.observations[-1].paths[0], words)

    results.part(STREAM, now, begin, draw, _("There is no text to deliver yet. Press Write."))


frame.header(
    _("Where did the time go?"),
    _("latency: queue, time to first token, time per token"),
    _("You send one request while others send theirs. The charts show where its time goes."),
)
with drawing_boundary():
    wanted = results.view(WAITING_VIEWS, "waiting_view")
    prompt_field.own_text()
    (delivery if wanted == WAITING_VIEWS[1] else request_view)()
