"""Context: what a longer text costs before the first token and at every token after it, and what happens at the end of the context."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd
import streamlit as st

from core.engine.model import LanguageModel
from core.experiments.context import LengthPoint, LimitReached, Spread, at_the_limit, lengths_for, measure
from pages.ui.charts import cost_charts
from pages.ui.experiments import results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _, ngettext
from pages.ui.session import current, elements, notices, provenance
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.shell import frame
from pages.ui.views import cache_text, chart

frame.page()
NAME, END = "context", "context_end"
COLUMNS = ["length", "median", "low", "high", "label", "tip"]


def table(points: list[LengthPoint], of: str) -> pd.DataFrame:
    """Return milliseconds against tokens; the last point has a label."""
    rows = []
    for point in points:
        spread: Spread = getattr(point, of)
        times = [numbers.duration(seconds) for seconds in (spread.median, spread.fastest, spread.slowest)]
        tip = _("{median}, {fastest} to {slowest}").format(median=times[0], fastest=times[1], slowest=times[2])
        milliseconds = [1000 * seconds for seconds in (spread.median, spread.low, spread.high)]
        rows.append((point.length, *milliseconds, times[0] if point is points[-1] else "", tip))
    return pd.DataFrame(rows, columns=COLUMNS)


def curves(run: Experiment) -> None:
    """Draw both curves as they are measured, then their growth in words."""
    latest: dict[int, LengthPoint] = {point.length: point for point in run.observations}
    points = [latest[length] for length in sorted(latest)]
    longest, lengths, repeats = run.about
    if run.running:
        progress = {"done": len(run.observations), "total": lengths * repeats}
        st.progress(
            len(run.observations) / (lengths * repeats), text=_("{done} of {total} measurements, all lengths in turn").format(**progress)
        )
    prompt = _("Time to read the prompt against its length, with the spread of the repeats.")
    further = _("Time of one further token against the length before it, with the spread of the repeats.")
    sides = (
        ("prefill", _("Until the first token"), _("prefill"), prompt),
        ("decode", _("For every token after it"), _("decode"), further),
    )
    for home, (of, title, term, alt_text) in zip(st.columns(2, gap="large"), sides, strict=True):
        with home:
            elements.section(title, term)
            rows = table(points, of)
            chart.draw(cost_charts.spread, rows, key=f"context_{of}", alt_text=alt_text, longest=longest, title=title)
    if points and not run.running:
        growth(points[0], points[-1], repeats)


def growth(short: LengthPoint, long: LengthPoint, repeats: int) -> None:
    """Draw how much time and work grew from the shortest to the longest prompt."""
    st.markdown(
        _(
            "From {short} to {long} tokens the time to the first token grew **{prefill} times** ({a} to {b}). A further token: {c} and {d}."
        ).format(
            short=short.length,
            long=numbers.whole(long.length),
            prefill=numbers.decimal(long.prefill.median / short.prefill.median, 1),
            a=numbers.duration(short.prefill.median),
            b=numbers.duration(long.prefill.median),
            c=numbers.duration(short.decode.median),
            d=numbers.duration(long.decode.median),
        )
    )
    work = _(
        "The work, computed from the model's shape, grew {prefill} times for the prompt and {decode} times for one token. "
        "Points: medians of {repeats} rounds. Bars: the middle half of the measurements."
    )
    prefill = numbers.decimal(long.prefill_multiply_adds / short.prefill_multiply_adds, 1)
    decode = numbers.decimal(long.decode_multiply_adds / short.decode_multiply_adds, 2)
    st.caption(work.format(prefill=prefill, decode=decode, repeats=repeats))


def limit_reached(model: LanguageModel, prompt: str) -> Iterator[LimitReached]:
    """Yield what happens at the end of the context."""
    yield at_the_limit(model, prompt)


def the_end() -> None:
    """Draw the button that fills the context, and what happened."""
    elements.section(_("What happens at the very end?"), _("context window"))
    places = _("This model has {limit} positions for tokens. Fill all but a few of them and let it write.")
    st.markdown(places.format(limit=numbers.whole(current.model().context_length)))
    now = provenance.now(settings=False)
    begin = results.starter(END, now, lambda: limit_reached(current.model(), current.prompt()))
    results.start_button(END, _("Fill the context"), begin, icon=":material/last_page:")
    results.part(END, now, begin, at_the_end)


def at_the_end(run: Experiment) -> None:
    """Draw the end of the text, and the answer to a prompt that is too long."""
    reached: LimitReached = run.observations[0]
    read = _("It read {read} tokens and wrote {written} more. Here the context ended:")
    st.markdown(read.format(read=numbers.whole(reached.read), written=reached.written))
    st.text(f"…{reached.text}▌")
    if reached.passed_over:
        ends = ngettext(
            "The model would have ended its text once before. The next likeliest token was taken instead.",
            "The model would have ended its text {count} times before. The next likeliest token was taken instead.",
            reached.passed_over,
        )
        st.caption(ends.format(count=reached.passed_over))
    st.markdown(_("A prompt of {offered} tokens is refused:").format(offered=numbers.whole(reached.offered)))
    notices.show_notice(_(reached.refused))


frame.header(
    _("Does a longer text cost more?"),
    _("prefill, decode, context window"),
    _("First the whole prompt is read. Then every new token attends to all tokens before it. Measure both on this machine."),
)
with drawing_boundary():
    with st.container(horizontal=True, vertical_alignment="bottom", key="context_controls"):
        repeats = elements.choice(_("Rounds"), (3, 5, 9, 15), 5, "context_repeats")
        now = provenance.now(repeats=repeats, settings=False)

        def about() -> tuple[int, int, int]:
            lengths = lengths_for(current.model())
            return max(lengths), len(lengths), repeats

        begin = results.starter(NAME, now, lambda: measure(current.model(), current.prompt(), lengths_for(current.model()), repeats), about)
        results.start_button(NAME, _("Measure"), begin, type="primary", icon=":material/speed:")
    results.part(NAME, now, begin, curves)
with drawing_boundary():
    st.divider()
    left, right = st.columns(2, gap="large")
    with left:
        elements.section(_("How full is your text now?"), _("context window"))
        cache_text.gauge(current.shown(), current.run().model, key="context_gauge")
    with right:
        the_end()
