"""Many readers and one model: the same requests under two policies, side by side, and what a fuller pass brings."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from core.batching.scheduler import Policy
from core.batching.server import ServerSettings
from core.costs.machine import measure
from core.experiments.batch_curve import CurvePoint, batch_curve
from core.experiments.batching import Alone, Reader, Summary, compare_alone, readers, serve, summary
from core.language import N_, _, said, written
from pages.ui.charts import charts, palette, serving_charts
from pages.ui.charts.legend import legend
from pages.ui.charts.serving_rows import Board
from pages.ui.components.serving_board.serving_board import serving_board
from pages.ui.experiments import experiment, results
from pages.ui.i18n import example_texts, names, numbers
from pages.ui.session import current, elements, provenance
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame, prompt_field, remote_model_notes
from pages.ui.views.burst_view import burst_page

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
    prompts = (current.prompt(), *example_texts.OPENINGS[1:])
    waits = None if arrive != "one by one" else float(rate)
    return readers(
        current.model(),
        prompts,
        count,
        lengths[0],
        lengths[1],
        rate=waits,
        settings=current.settings(),
        background=example_texts.VALLEY,
        background_tokens=common,
    )


def now() -> provenance.Provenance:
    """What a round would be made with."""
    chosen = {
        N_("the two ways"): f"{names.SCHEDULERS[left]} | {names.SCHEDULERS[right]}",
        N_("the readers"): N_("{count} readers").format(count=count),
        N_("the arrivals"): "" if arrive != "one by one" else N_("{count} a second").format(count=rate),
        N_("the lengths"): N_("{least} to {most} words").format(least=lengths[0], most=lengths[1]),
    }
    hidden_inputs = {
        N_("the places"): str(slots),
        N_("the budget"): str(budget),
        N_("the blocks"): str(blocks),
        N_("sharing"): str(share),
        N_("the beginning"): str(common),
    }
    return provenance.now(chosen, hidden_inputs)


def begin() -> None:
    """Let everybody in, on both sides."""
    model, who = current.model(), lineup()
    sides = [ServerSettings(policy, slots, max(budget, slots), blocks, share) for policy in (left, right)]
    about = (who, (left, right), tuple(1 if one is Policy.ONE_AT_A_TIME else slots for one in (left, right)))
    experiment.start(NAME, lambda: serve(model, who, sides), now(), about)
    experiment.stop(CHECK)
    current.results().pop(CHECK, None)


def check() -> None:
    """Let every reader of the right side write once more, alone, with the model that made the result. Raises ViewerError."""
    run = experiment.of(NAME)
    assert run.made_by is not None
    model, finished = current.model_named(run.made_by.model), [one for done in board(run).sides[1].iterations for one in done.finished]
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
    elements.section(_("In figures"), _("measured in this run"))

    def pair(values: tuple[float, float]) -> str:
        return " · ".join(numbers.duration(value) if value == value else "–" for value in values)

    def column(side: Summary) -> list[str]:
        return [
            numbers.whole(side.tokens_per_second),
            pair(side.first_token),
            pair(side.per_token),
            pair(side.end_to_end),
            numbers.percent(side.idle),
            numbers.percent(side.idle_in_demand),
            numbers.whole(side.padded_tokens),
            numbers.whole(side.preemptions),
            f"{numbers.whole(side.prompt_tokens)} · {numbers.whole(side.reused_tokens)}",
            f"{numbers.whole(side.peak_blocks)} · {numbers.whole(side.saved_blocks)}",
        ]

    lines = "\n".join(
        f"| {name} | {a} | {b} |" for name, a, b in zip(map(_, names.SERVING_FIGURES.values()), column(one), column(other), strict=True)
    )
    st.markdown(f"| | {titles[0]} | {titles[1]} |\n|---|---:|---:|\n{lines}")


def verdict(one: Summary, other: Summary, titles: tuple[str, str]) -> None:
    """Who was done first, and what it meant for each reader."""
    quick, slow = sorted((one, other), key=lambda side: side.seconds)
    factor = quick.tokens_per_second / slow.tokens_per_second
    times = {"count": quick.finished, "quick": numbers.duration(quick.seconds), "slow": numbers.duration(slow.seconds)}
    faster = _("**{title}** wrote {factor} times as many tokens a second: all {count} answers after {quick} instead of {slow}.").format(
        title=titles[0 if quick is one else 1], factor=numbers.decimal(factor, 1), **times
    )
    st.markdown(faster if factor > CLOSE else _("Both took about as long: all {count} answers after {quick} and {slow}.").format(**times))
    if one.per_token[0] == one.per_token[0] and other.per_token[0] == other.per_token[0]:
        st.markdown(
            _(
                "The first word came after {one} ({left}) and {other} ({right}), in the median; each further "
                "word after {per_one} and {per_other}."
            ).format(
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
        legend(*zip(shades, said(names.READER_STATES).values(), strict=True))
        fresh = Board.of(lineup()) if run.about is None else board(run)
        policies, places = ((left, right), (slots, slots)) if run.about is None else run.about[1:]
        titles = (_(names.SCHEDULERS[policies[0]]), _(names.SCHEDULERS[policies[1]]))
        lines = (_(names.SCHEDULER_LINES[policies[0]]), _(names.SCHEDULER_LINES[policies[1]]))
        serving_board(fresh, titles, lines, places, key="batching_board")
        if run.about is None:
            total = sum(len(reader.prompt_ids) for reader in fresh.who)
            answers = sum(reader.max_new_tokens for reader in fresh.who)
            st.caption(
                _("Press the button: {count} readers, {tokens} tokens to read in all, up to {answers} to write.").format(
                    count=len(fresh.who), tokens=numbers.whole(total), answers=numbers.whole(answers)
                )
            )
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
            st.markdown(
                _(
                    "{same} of {count} tokens are the same as alone. The largest difference of a logit was "
                    "{gap}; {close} of the rolls were so close to a border that this could have turned them."
                ).format(same=numbers.whole(same), count=numbers.whole(count), gap=written(gap, ".1g"), close=close)
            )
            for one in parted:
                st.caption(
                    _("Reader {reader} parts from the lone run at token {place}: a roll fell just where the last digits decide.").format(
                        reader=one.reader_id + 1, place=(one.first_difference or 0) + 1
                    )
                )
            st.caption(_("Sums over eight rows are added up in another order than over one, so the last digits differ."))


def curve() -> None:
    """Batch size against tokens a second for all, and against each reader's wait."""
    with results.shown(CURVE, provenance.now(), measure_curve) as run:
        points: dict[int, CurvePoint] = {point.size: point for point in run.seen}
        if not points:
            st.caption(_("Passes with 1 to 32 readers who all write, measured in turns. Takes a few seconds."))
        else:
            peak, weights = run.about
            table = pd.DataFrame(
                [
                    {
                        "size": point.size,
                        "rate": point.tokens_per_second,
                        "wait": point.seconds * 1000,
                        "ceiling": point.ceiling,
                        "label": numbers.whole(point.tokens_per_second),
                        "wait_label": numbers.duration(point.seconds),
                        "tip": _("{readers} readers: {rate} tokens/s, {time} a word").format(
                            readers=point.size, rate=numbers.whole(point.tokens_per_second), time=numbers.duration(point.seconds)
                        ),
                    }
                    for point in sorted(points.values(), key=lambda point: point.size)
                ]
            )
            one, other = st.columns(2, gap="large")
            with one:
                st.caption(_("Tokens a second, for all"))
                charts.draw(
                    serving_charts.batch_curve,
                    table,
                    key="batching_rate",
                    alt_text=_("Tokens a second, for all"),
                    column="rate",
                    unit="",
                    ceiling=True,
                )
            with other:
                st.caption(_("Milliseconds between two words of one reader"))
                waits = table.drop(columns="label").rename(columns={"wait_label": "label"})
                charts.draw(
                    serving_charts.batch_curve,
                    waits,
                    key="batching_wait",
                    alt_text=_("Milliseconds between two words of one reader"),
                    column="wait",
                    unit="ms",
                )
            most = max(points)
            if 1 in points and most > 1:
                factor = points[most].tokens_per_second / points[1].tokens_per_second
                wait, alone = numbers.duration(points[most].seconds), numbers.duration(points[1].seconds)
                st.markdown(
                    _(
                        "With {size} readers in a pass: {factor} times the tokens a second of one alone, and each "
                        "reader waits {wait} instead of {alone} for a word."
                    ).format(size=most, factor=numbers.decimal(factor, 1), wait=wait, alone=alone)
                )
            speed = f"{numbers.size(peak.bytes_per_second)}"
            st.caption(
                _(
                    "Solid: measured. Dashed: **computed**, if nothing took time but fetching {weights} of "
                    "weights once per pass, and every reader's keys and values, at the {speed} a second that "
                    "this machine's memory gave just now. A small model can beat it: part of it stays in the "
                    "processor's cache."
                ).format(weights=numbers.size(weights), speed=speed)
            )


frame.header(
    _("Eight readers, one pass"),
    _("batching"),
    _(
        "Many people ask one model at the same time. Fetching its weights is most of the work, and "
        "one fetch can serve them all. The same readers, served in two ways, each by its own clock."
    ),
)
if remote_model_notes.is_served():
    with elements.error_boundary():
        burst_page(prompt_field.own_text)
else:
    with st.container(horizontal=True, vertical_alignment="bottom", key="batching_controls"):
        kinds = list(names.SCHEDULERS)
        named = said(names.SCHEDULERS).__getitem__
        left = st.selectbox(_("Left"), kinds, index=0, format_func=named, key="batching_left", width=230, **PERSISTENT)
        right = st.selectbox(_("Right"), kinds, index=2, format_func=named, key="batching_right", width=230, **PERSISTENT)
        count = st.segmented_control(_("Readers"), COUNTS, default=8, key="batching_readers", required=True, **PERSISTENT) or 8
        ways = (N_("all at once"), N_("one by one"))
        arrive = st.segmented_control(
            _("They come"), ways, default=ways[0], format_func=_, key="batching_arrive", required=True, **PERSISTENT
        )
        state = experiment.of(NAME)
        if state.running:
            st.button(_("Stop"), on_click=experiment.stop, args=(NAME,), icon=":material/stop:", key="batching_stop")
        else:
            label = _("Once more") if state.seen else _("Let them in")
            pressed = st.button(label, type="primary", icon=":material/group_add:", key="batching_start")
    with st.expander(_("More"), icon=":material/tune:"):
        one, two, three = st.columns(3, gap="large")
        with one:
            lengths = st.slider(
                _("Length of the answers"),
                1,
                128,
                (8, 48),
                key="batching_lengths",
                help=_("In tokens. Each reader's own length is drawn from this range; a text may end earlier by itself."),
                **PERSISTENT,
            )
            common = st.slider(
                _("Common beginning"),
                0,
                192,
                0,
                16,
                key="batching_common",
                help=_("So many tokens of the same story stand before everybody's own words, as a system prompt does. 0: none."),
                **PERSISTENT,
            )
        with two:
            slots = st.select_slider(
                _("Slots"), SLOTS, 8, key="batching_slots", help=_("How many readers can be in one pass (max_num_seqs)."), **PERSISTENT
            )
            budget = st.select_slider(
                _("Tokens in a pass"),
                BUDGETS,
                64,
                key="batching_budget",
                help=_(
                    "How many tokens, of prompts and next words together, one pass takes "
                    "(max_num_batched_tokens). Prompts in one piece may exceed it."
                ),
                **PERSISTENT,
            )
            rate = st.slider(
                _("Readers a second"),
                1,
                40,
                10,
                key="batching_rate_a_second",
                help=_("How many arrive a second, at random moments (a Poisson process); the seed in the sidebar decides which."),
                disabled=arrive != "one by one",
                **PERSISTENT,
            )
        with three:
            blocks = st.select_slider(
                _("Blocks of the notepad"),
                BLOCKS,
                48,
                key="batching_blocks",
                help=_(
                    "Memory for everybody's keys and values, in blocks of 16 tokens. When it is full, the "
                    "youngest reader gives up theirs and is computed anew."
                ),
                **PERSISTENT,
            )
            share = st.toggle(
                _("Share the common beginning"),
                value=True,
                key="batching_share",
                help=_("Blocks with the same tokens from the start on are kept once and computed once (prefix caching)."),
                **PERSISTENT,
            )
    if not state.running and pressed:
        with elements.error_boundary():
            begin()
            st.rerun()

    results.live(course, NAME, key="batching_course")
    if experiment.of(NAME).seen and not experiment.of(NAME).running and not experiment.of(NAME).recorded_on:
        st.button(
            _("Does everybody get what they get alone?"),
            on_click=current.error_boundary(check),
            help=_("Every reader of the right side writes once more, alone, with the same dice."),
            icon=":material/balance:",
            key="batching_check",
        )
        results.live(checked, CHECK, key="batching_checked")
    elements.section(_("What a fuller pass brings, and what it costs each reader"), _("batch size, throughput, latency"))
    st.button(_("Measure it here"), on_click=current.error_boundary(measure_curve), icon=":material/speed:", key="batching_measure")
    results.live(curve, CURVE, key="batching_curve")
    st.caption(
        _(
            "This scheduler is real and made to be watched: real forward passes, real keys and values in "
            "blocks. Serving millions is the work of servers such as vLLM, which do the same on many "
            "machines."
        )
    )
