"""What a longer text costs, before the first word and at every word after it; and what happens where the context ends."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.labs.context import LengthPoint, LimitReached, Spread, at_the_limit, lengths_for, measure
from pages.parts.charts import charts, cost_charts
from pages.parts.components.cache_gauge import cache_gauge
from pages.parts.layout import frame, results
from pages.parts.runtime import experiment
from pages.parts.session import current, provenance
from pages.parts.session.state import STAYS
from pages.parts.text import cost_words as words
from pages.parts.text import numbers

frame.page()
NAME, END = "context", "context_end"


def now() -> provenance.Provenance:
    """What a measurement would be made of."""
    return provenance.now({words.BY_REPEATS: words.CONTEXT_ROUNDS.format(count=chosen)}, settings=False)


@current.error_boundary
def begin() -> None:
    """Measure from short to as long as this model allows."""
    current.at(NAME)
    model, prompt, repeats = current.model(), current.prompt(), chosen
    lengths = lengths_for(model)
    experiment.start(NAME, lambda: measure(model, prompt, lengths, repeats), now(), (max(lengths), len(lengths), repeats))


def table(points: list[LengthPoint], of: str) -> pd.DataFrame:
    """Milliseconds against tokens, the last point named."""
    rows = []
    for point in points:
        spread: Spread = getattr(point, of)
        said = numbers.duration(spread.median)
        rows.append(
            {
                "length": point.length,
                "median": spread.median * 1000,
                "low": spread.low * 1000,
                "high": spread.high * 1000,
                "label": said if point is points[-1] else "",
                "tip": f"{said}, {numbers.duration(spread.fastest)} to {numbers.duration(spread.slowest)}",
            }
        )
    return pd.DataFrame(rows, columns=["length", "median", "low", "high", "label", "tip"])


def curves() -> None:
    """Both curves, as they are measured; then what they say."""
    with results.shown(NAME, now(), begin) as run:
        latest: dict[int, LengthPoint] = {point.length: point for point in run.seen}
        points = [latest[length] for length in sorted(latest)]
        if run.about and run.running:
            total = run.about[1] * run.about[2]
            st.progress(len(run.seen) / total, text=words.CONTEXT_PROGRESS.format(done=len(run.seen), total=total))
        longest = run.about[0] if run.about else max(lengths_for(current.model()))
        left, right = st.columns(2, gap="large")
        for column, of, title, term, alt in (
            (left, "prefill", words.PREFILL_TITLE, words.PREFILL_TERM, words.PREFILL_ALT),
            (right, "decode", words.DECODE_TITLE, words.DECODE_TERM, words.DECODE_ALT),
        ):
            with column:
                frame.section(title, term)
                charts.draw(cost_charts.spread, table(points, of), key=f"context_{of}", alt_text=alt, longest=longest)
        if points and not run.running:
            verdict(points, run.about[2])


def verdict(points: list[LengthPoint], repeats: int) -> None:
    """What the measurement says, in words."""
    short, long = points[0], points[-1]
    factor = long.prefill.median / short.prefill.median
    st.markdown(
        words.CONTEXT_SAYS.format(
            short=short.length,
            long=f"{long.length:,}",
            prefill=f"{factor:.1f}",
            a=numbers.duration(short.prefill.median),
            b=numbers.duration(long.prefill.median),
            c=numbers.duration(short.decode.median),
            d=numbers.duration(long.decode.median),
        )
    )
    work = words.CONTEXT_WORK.format(
        prefill=f"{long.prefill_multiply_adds / short.prefill_multiply_adds:.1f}",
        decode=f"{long.decode_multiply_adds / short.decode_multiply_adds:.2f}",
    )
    st.caption(f"{work} {words.CONTEXT_SPREAD.format(repeats=repeats)}")


@current.error_boundary
def go_there() -> None:
    """Fill the context and see."""
    current.at(END)
    model, prompt = current.model(), current.prompt()
    experiment.start(END, lambda: iter([at_the_limit(model, prompt)]), provenance.now(settings=False))


def the_end() -> None:
    """Go to the last place of the context, for real."""
    model = current.model()
    frame.section(words.CONTEXT_END, words.CONTEXT_END_TERM)
    st.markdown(words.CONTEXT_END_LEAD.format(limit=f"{model.context_length:,}"))
    st.button(words.CONTEXT_END_START, on_click=go_there, icon=":material/last_page:", key="context_end")
    results.live(at_its_end, END, key="context_end_fragment")


def at_its_end() -> None:
    """What happened there."""
    with results.shown(END, provenance.now(settings=False), go_there) as run:
        if run.running:
            st.caption(words.CONTEXT_FILLING)
        for reached in run.seen:
            assert isinstance(reached, LimitReached)
            st.markdown(words.CONTEXT_END_TOLD.format(read=f"{reached.read:,}", written=reached.written))
            st.text(f"…{reached.text}▌")
            if reached.passed_over:
                st.caption(words.CONTEXT_PASSED_OVER.format(times="once" if reached.passed_over == 1 else f"{reached.passed_over} times"))
            st.markdown(words.CONTEXT_REFUSED.format(offered=f"{reached.offered:,}"))
            frame.show_notice(reached.refused)


frame.header(words.CONTEXT_TITLE, words.CONTEXT_TERM, words.CONTEXT_LEAD)
with st.container(horizontal=True, vertical_alignment="bottom", key="context_controls"):
    chosen = st.segmented_control(words.CONTEXT_REPEATS, (3, 5, 9, 15), default=5, key="context_repeats", required=True, **STAYS) or 5
    running = experiment.of(NAME).running
    st.button(
        words.CONTEXT_START,
        on_click=begin,
        type="primary",
        icon=":material/speed:",
        key="context_start",
        disabled=running,
    )
    if running:
        st.button(words.CACHE_STOP, on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="context_stop")
results.live(curves, NAME, key="context_fragment")
with frame.error_boundary():
    st.divider()
    left, right = st.columns(2, gap="large")
    with left:
        frame.section(words.CONTEXT_GAUGE, words.CONTEXT_END_TERM)
        cache_gauge.gauge(current.shown(), current.run().model, key="context_gauge")
    with right:
        the_end()
