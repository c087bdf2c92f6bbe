"""What a longer text costs, before the first word and at every word after it; and what happens where the context ends."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.experiments.context import LengthPoint, LimitReached, Spread, at_the_limit, lengths_for, measure
from core.language import N_, _, ngettext
from pages.ui.charts import charts, cost_charts
from pages.ui.experiments import experiment, results
from pages.ui.i18n import numbers
from pages.ui.session import current, elements, provenance
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame
from pages.ui.views import cache_gauge

frame.page()
NAME, END = "context", "context_end"


def now() -> provenance.Provenance:
    """What a measurement would be made of."""
    return provenance.now({N_("the repeats"): N_("{count} times each").format(count=chosen)}, settings=False)


@current.error_boundary
def begin() -> None:
    """Measure from short to as long as this model allows."""
    current.anchor_notices(NAME)
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
                "tip": _("{median}, {fastest} to {slowest}").format(
                    median=said, fastest=numbers.duration(spread.fastest), slowest=numbers.duration(spread.slowest)
                ),
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
            st.progress(
                len(run.seen) / total,
                text=_("{done} of {total} measurements, going round all lengths again and again").format(done=len(run.seen), total=total),
            )
        longest = run.about[0] if run.about else max(lengths_for(current.model()))
        left, right = st.columns(2, gap="large")
        for column, of, title, term, alt in (
            (
                left,
                "prefill",
                _("Until the first word"),
                _("prefill"),
                _("Time to read the prompt against its length, with the spread of the repeats."),
            ),
            (
                right,
                "decode",
                _("For every word after it"),
                _("decode"),
                _("Time of one further token against the length before it, with the spread of the repeats."),
            ),
        ):
            with column:
                elements.section(title, term)
                charts.draw(cost_charts.spread, table(points, of), key=f"context_{of}", alt_text=alt, longest=longest)
        if points and not run.running:
            verdict(points, run.about[2])


def verdict(points: list[LengthPoint], repeats: int) -> None:
    """What the measurement says, in words."""
    short, long = points[0], points[-1]
    factor = long.prefill.median / short.prefill.median
    st.markdown(
        _(
            "From {short} to {long} tokens the wait for the first word grew **{prefill} times** ({a} to "
            "{b}); one further word went from {c} to {d}."
        ).format(
            short=short.length,
            long=numbers.whole(long.length),
            prefill=numbers.decimal(factor, 1),
            a=numbers.duration(short.prefill.median),
            b=numbers.duration(long.prefill.median),
            c=numbers.duration(short.decode.median),
            d=numbers.duration(long.decode.median),
        )
    )
    work = _("The work, computed from the model's shape, grew {prefill} times for the prompt and {decode} times for a word.").format(
        prefill=numbers.decimal(long.prefill_multiply_adds / short.prefill_multiply_adds, 1),
        decode=numbers.decimal(long.decode_multiply_adds / short.decode_multiply_adds, 2),
    )
    st.caption(
        f"{work} {_('Points are medians of {repeats} rounds; a bar holds the middle half of the measurements.').format(repeats=repeats)}"
    )


@current.error_boundary
def go_there() -> None:
    """Fill the context and see."""
    current.anchor_notices(END)
    model, prompt = current.model(), current.prompt()
    experiment.start(END, lambda: iter([at_the_limit(model, prompt)]), provenance.now(settings=False))


def the_end() -> None:
    """Go to the last place of the context, for real."""
    model = current.model()
    elements.section(_("What happens at the very end?"), _("context window"))
    st.markdown(
        _("This model has {limit} places for tokens, and not one more. Fill all but a few and let it write.").format(
            limit=numbers.whole(model.context_length)
        )
    )
    st.button(_("Go to the end"), on_click=go_there, icon=":material/last_page:", key="context_end")
    results.live(at_its_end, END, key="context_end_fragment")


def at_its_end() -> None:
    """What happened there."""
    with results.shown(END, provenance.now(settings=False), go_there) as run:
        if run.running:
            st.caption(_("Filling the context …"))
        for reached in run.seen:
            assert isinstance(reached, LimitReached)
            st.markdown(
                _("It read {read} tokens, wrote {written} more, and there it ended, in the middle of things:").format(
                    read=numbers.whole(reached.read), written=reached.written
                )
            )
            st.text(f"…{reached.text}▌")
            if reached.passed_over:
                st.caption(
                    ngettext(
                        "On the way the model would have ended its text once; its next best token was taken instead, to get to the end.",
                        "On the way the model would have ended its text {count} times; its next best token was taken instead, to get to "
                        "the end.",
                        reached.passed_over,
                    ).format(count=reached.passed_over)
                )
            st.markdown(
                _("And a prompt of {offered} tokens, too long to begin with, gets this answer:").format(
                    offered=numbers.whole(reached.offered)
                )
            )
            elements.show_notice(_(reached.refused))


frame.header(
    _("Does a longer text cost more?"),
    _("prefill, decode, context window"),
    _("First the whole prompt has to be read; then every new token looks back at all of it. Measure both on this machine."),
)
with st.container(horizontal=True, vertical_alignment="bottom", key="context_controls"):
    chosen = st.segmented_control(_("Times each"), (3, 5, 9, 15), default=5, key="context_repeats", required=True, **PERSISTENT) or 5
    running = experiment.of(NAME).running
    st.button(
        _("Measure"),
        on_click=begin,
        type="primary",
        icon=":material/speed:",
        key="context_start",
        disabled=running,
    )
    if running:
        st.button(_("Stop"), on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="context_stop")
results.live(curves, NAME, key="context_fragment")
with elements.error_boundary():
    st.divider()
    left, right = st.columns(2, gap="large")
    with left:
        elements.section(_("How full is your text now?"), _("context window"))
        cache_gauge.gauge(current.shown(), current.run().model, key="context_gauge")
    with right:
        the_end()
