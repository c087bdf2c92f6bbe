"""Many readers and one model: the same requests under two policies, side by side, and what a fuller pass brings."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.costs.machine import measure
from core.labs.batch_curve import CurvePoint, batch_curve
from core.labs.batching import Alone, Reader, Summary, compare_alone, readers, serve, summary
from core.serving.scheduler import Policy
from core.serving.server import ServerSettings
from pages.parts.charts import charts, serving_charts
from pages.parts.charts.serving_rows import Board
from pages.parts.components.serving_board.serving_board import serving_board
from pages.parts.layout import frame, palette, results, served
from pages.parts.layout.burst_view import burst_page
from pages.parts.runtime import experiment
from pages.parts.session import current, provenance
from pages.parts.session.state import STAYS
from pages.parts.text import numbers
from pages.parts.text import serving_words as words

frame.page()
NAME, CHECK, CURVE = "batching", "batching_check", "batching_curve"
BOARD = "batching_board"
COUNTS = (2, 4, 8, 16)
SLOTS = (1, 2, 4, 8, 16)
BUDGETS = (16, 32, 64, 128, 256, 512)
BLOCKS = (8, 12, 16, 24, 32, 48, 64, 96, 128, 256)
CLOSE = 1.15  # times as fast, below which nobody is called faster


def lineup() -> tuple[Reader, ...]:
    """The readers as the sliders have them. Raises ViewerError."""
    prompts = (current.prompt(), *words.OPENINGS[1:])
    waits = None if arrive != words.ONE_BY_ONE else float(rate)
    return readers(
        current.model(),
        prompts,
        count,
        lengths[0],
        lengths[1],
        rate=waits,
        settings=current.settings(),
        background=words.BACKGROUND,
        background_tokens=common,
    )


def now() -> provenance.Provenance:
    """What a round would be made with."""
    chosen = {
        words.BY_TWO_WAYS: f"{words.POLICIES[left]} | {words.POLICIES[right]}",
        words.BY_READERS: f"{count} readers",
        words.BY_ARRIVALS: "" if arrive != words.ONE_BY_ONE else f"{rate} a second",
        words.BY_LENGTHS: f"{lengths[0]} to {lengths[1]} words",
    }
    unsaid = {
        words.BY_PLACES: str(slots),
        words.BY_BUDGET: str(budget),
        words.BY_BLOCKS: str(blocks),
        words.BY_SHARING: str(share),
        words.BY_BEGINNING: str(common),
    }
    return provenance.now(chosen, unsaid)


def begin() -> None:
    """Let everybody in, on both sides."""
    model, who = current.model(), lineup()
    sides = [ServerSettings(policy, slots, max(budget, slots), blocks, share) for policy in (left, right)]
    about = (who, (left, right), tuple(1 if one is Policy.ONE_AT_A_TIME else slots for one in (left, right)))
    experiment.start(NAME, lambda: serve(model, who, sides), now(), about)
    experiment.stop(CHECK)
    current.results().pop(CHECK, None)


def check() -> None:
    """Let every reader of the right side write once more, alone."""
    run = experiment.of(NAME)
    model, finished = current.model(), [one for done in board(run).sides[1].iterations for one in done.finished]
    experiment.start(CHECK, lambda: compare_alone(model, run.about[0], finished), run.made_by)


def board(run: experiment.Experiment) -> Board:
    """What the observations look like so far; read once, however often it is drawn."""
    known = current.results().get(BOARD)
    if known is None or known[0] is not run.about or known[1].read > len(run.seen):
        known = current.results()[BOARD] = (run.about, Board.of(run.about[0]))
    fresh: Board = known[1]
    fresh.take(run.seen)
    return fresh


def measure_curve() -> None:
    """Measure passes of every size, and the machine's memory beside them."""
    model, prompt, settings = current.model(), current.prompt(), current.settings()
    peak = measure(model.device, model.dtype)
    experiment.start(CURVE, lambda: batch_curve(model, prompt, peak, settings), provenance.now(), (peak, model.weight_bytes))


def figures(one: Summary, other: Summary, titles: tuple[str, str]) -> None:
    """Both sides in figures."""
    frame.section(words.FIGURES, words.FIGURES_TERM)

    def pair(values: tuple[float, float]) -> str:
        return " · ".join(numbers.duration(value) if value == value else "–" for value in values)

    def column(side: Summary) -> list[str]:
        return [
            f"{side.tokens_per_second:,.0f}",
            pair(side.first_token),
            pair(side.per_token),
            pair(side.end_to_end),
            numbers.percent(side.idle),
            numbers.percent(side.idle_in_demand),
            f"{side.padded_tokens:,}",
            f"{side.preemptions:,}",
            f"{side.prompt_tokens:,} · {side.reused_tokens:,}",
            f"{side.peak_blocks:,} · {side.saved_blocks:,}",
        ]

    lines = "\n".join(f"| {name} | {a} | {b} |" for name, a, b in zip(words.ROWS.values(), column(one), column(other), strict=True))
    st.markdown(f"| | {titles[0]} | {titles[1]} |\n|---|---:|---:|\n{lines}")


def verdict(one: Summary, other: Summary, titles: tuple[str, str]) -> None:
    """Who was done first, and what it meant for each reader."""
    quick, slow = sorted((one, other), key=lambda side: side.seconds)
    factor = quick.tokens_per_second / slow.tokens_per_second
    times = {"count": quick.finished, "quick": numbers.duration(quick.seconds), "slow": numbers.duration(slow.seconds)}
    faster = words.FASTER.format(title=titles[0 if quick is one else 1], factor=f"{factor:.1f}", **times)
    st.markdown(faster if factor > CLOSE else words.SAME_SPEED.format(**times))
    if one.per_token[0] == one.per_token[0] and other.per_token[0] == other.per_token[0]:
        st.markdown(
            words.LATENCY.format(
                one=numbers.duration(one.first_token[0]),
                other=numbers.duration(other.first_token[0]),
                left=titles[0].lower(),
                right=titles[1].lower(),
                per_one=numbers.duration(one.per_token[0]),
                per_other=numbers.duration(other.per_token[0]),
            )
        )


def course() -> None:
    """All that moves."""
    with results.shown(NAME, now(), begin) as run:
        colours = palette.of(charts.theme())
        shades = (colours.muted_text, colours.computed, colours.dice, colours.doubt, colours.other)
        frame.legend(*zip(shades, words.STATES.values(), strict=True))
        fresh = Board.of(lineup()) if run.about is None else board(run)
        policies, places = ((left, right), (slots, slots)) if run.about is None else run.about[1:]
        titles = (words.POLICIES[policies[0]], words.POLICIES[policies[1]])
        serving_board(fresh, titles, (words.POLICY_LINES[policies[0]], words.POLICY_LINES[policies[1]]), places, key="batching_board")
        if run.about is None:
            total = sum(len(reader.prompt_ids) for reader in fresh.who)
            answers = sum(reader.max_new_tokens for reader in fresh.who)
            st.caption(words.BEFORE.format(count=len(fresh.who), tokens=f"{total:,}", answers=f"{answers:,}"))
        if run.seen and not run.running:
            one, other = (summary(side.iterations) for side in fresh.sides)
            if one.finished and other.finished:
                verdict(one, other, titles)
            figures(one, other, titles)


def checked() -> None:
    """The readers alone, held beside the readers together."""
    with results.shown(CHECK, now(), check) as run:
        found: list[Alone] = list(run.seen)
        if found:
            count = sum(one.tokens for one in found)
            parted = [one for one in found if one.first_difference is not None]
            same = count - sum(one.tokens - (one.first_difference or 0) for one in parted)
            gap = max(one.largest_difference for one in found)
            close = sum(one.close_rolls for one in found)
            st.markdown(words.CHECKED.format(same=f"{same:,}", count=f"{count:,}", gap=f"{gap:.1g}", close=close))
            for one in parted:
                st.caption(words.PARTED.format(reader=one.reader_id + 1, place=(one.first_difference or 0) + 1))
            st.caption(words.CHECKED_BECAUSE)


def curve() -> None:
    """Batch size against tokens a second for all, and against each reader's wait."""
    with results.shown(CURVE, provenance.now(), measure_curve) as run:
        points: dict[int, CurvePoint] = {point.size: point for point in run.seen}
        if not points:
            st.caption(words.CURVE_BEFORE)
        else:
            peak, weights = run.about
            table = pd.DataFrame(
                [
                    {
                        "size": point.size,
                        "rate": point.tokens_per_second,
                        "wait": point.seconds * 1000,
                        "ceiling": point.ceiling,
                        "label": f"{point.tokens_per_second:,.0f}",
                        "wait_label": numbers.duration(point.seconds),
                        "tip": f"{point.size} readers: {point.tokens_per_second:,.0f} tokens/s, {numbers.duration(point.seconds)} a word",
                    }
                    for point in sorted(points.values(), key=lambda point: point.size)
                ]
            )
            one, other = st.columns(2, gap="large")
            with one:
                st.caption(words.CURVE_RATE)
                charts.draw(
                    serving_charts.batch_curve, table, key="batching_rate", alt_text=words.CURVE_RATE, column="rate", unit="", ceiling=True
                )
            with other:
                st.caption(words.CURVE_WAIT)
                waits = table.drop(columns="label").rename(columns={"wait_label": "label"})
                charts.draw(serving_charts.batch_curve, waits, key="batching_wait", alt_text=words.CURVE_WAIT, column="wait", unit="ms")
            most = max(points)
            if 1 in points and most > 1:
                factor = points[most].tokens_per_second / points[1].tokens_per_second
                wait, alone = numbers.duration(points[most].seconds), numbers.duration(points[1].seconds)
                st.markdown(words.CURVE_VERDICT.format(size=most, factor=f"{factor:.1f}", wait=wait, alone=alone))
            speed = f"{numbers.size(peak.bytes_per_second)}"
            st.caption(words.CURVE_CEILING.format(weights=numbers.size(weights), speed=speed))


frame.header(words.BATCHING_TITLE, words.BATCHING_TERM, words.BATCHING_LEAD)
if served.is_served():
    with frame.error_boundary():
        burst_page()
else:
    with st.container(horizontal=True, vertical_alignment="bottom", key="batching_controls"):
        kinds = list(words.POLICIES)
        named = words.POLICIES.__getitem__
        left = st.selectbox(words.LEFT, kinds, index=0, format_func=named, key="batching_left", width=230, **STAYS)
        right = st.selectbox(words.RIGHT, kinds, index=2, format_func=named, key="batching_right", width=230, **STAYS)
        count = st.segmented_control(words.READERS, COUNTS, default=8, key="batching_readers", required=True, **STAYS) or 8
        ways = (words.ALL_AT_ONCE, words.ONE_BY_ONE)
        arrive = st.segmented_control(words.ARRIVE, ways, default=ways[0], key="batching_arrive", required=True, **STAYS)
        state = experiment.of(NAME)
        if state.running:
            st.button(words.STOP, on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="batching_stop")
        else:
            label = words.AGAIN if state.seen else words.START
            pressed = st.button(label, type="primary", icon=":material/group_add:", key="batching_start")
    with st.expander(words.MORE, icon=":material/tune:"):
        one, two, three = st.columns(3, gap="large")
        with one:
            lengths = st.slider(words.ANSWERS, 1, 128, (8, 48), key="batching_lengths", help=words.ANSWERS_HELP, **STAYS)
            common = st.slider(words.BACKGROUND_LENGTH, 0, 192, 0, 16, key="batching_common", help=words.BACKGROUND_HELP, **STAYS)
        with two:
            slots = st.select_slider(words.SLOTS, SLOTS, 8, key="batching_slots", help=words.SLOTS_HELP, **STAYS)
            budget = st.select_slider(words.BUDGET, BUDGETS, 64, key="batching_budget", help=words.BUDGET_HELP, **STAYS)
            rate = st.slider(
                words.RATE, 1, 40, 10, key="batching_rate_a_second", help=words.RATE_HELP, disabled=arrive != words.ONE_BY_ONE, **STAYS
            )
        with three:
            blocks = st.select_slider(words.BLOCKS, BLOCKS, 48, key="batching_blocks", help=words.BLOCKS_HELP, **STAYS)
            share = st.toggle(words.SHARE, value=True, key="batching_share", help=words.SHARE_HELP, **STAYS)
    if not state.running and pressed:
        with frame.error_boundary():
            begin()
            st.rerun()

    results.live(course, NAME, key="batching_course")
    if experiment.of(NAME).seen and not experiment.of(NAME).running and not experiment.of(NAME).recorded_on:
        st.button(
            words.CHECK, on_click=current.error_boundary(check), help=words.CHECK_HELP, icon=":material/balance:", key="batching_check"
        )
        results.live(checked, CHECK, key="batching_checked")
    frame.section(words.CURVE_TITLE, words.CURVE_TERM)
    st.button(words.CURVE_START, on_click=current.error_boundary(measure_curve), icon=":material/speed:", key="batching_measure")
    results.live(curve, CURVE, key="batching_curve")
    st.caption(words.HONEST)
