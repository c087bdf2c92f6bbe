"""Several tries: written together in real batches, merged into one tree, ranked; and beam search, step by step."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.labs.beam import CUT_OFF, FINISHED, KEPT, BeamStep, beam_search
from core.labs.candidates import FORMULAS, MEAN, BatchStep, Ranked, merged, ranked, write_and_time_one
from pages.parts.components.branch_tree.branch_tree import branch_tree, rows_of_beams, rows_of_tries
from pages.parts.components.tinted_text.tinted_text import tinted_text
from pages.parts.layout import frame, results
from pages.parts.layout.prompt_field import own_text
from pages.parts.runtime import experiment
from pages.parts.session import current, provenance, undo
from pages.parts.session.state import STAYS
from pages.parts.text import numbers
from pages.parts.text import what_if_words as words
from pages.parts.text import words as watch_words
from pages.parts.text.plain import plain

frame.page()
TRIES, BEAM = "candidates", "candidates_beam"
BEAM_STEPS = "candidates_beam_steps"  # how much of the search is shown: it runs ahead, and Step shows one more
COUNTS = (4, 8, 16, 32)
LENGTHS = (20, 40, 80)
SHOWN = 5
MARKS = {KEPT: "✓", FINISHED: "■", CUT_OFF: "□"}
CHOICE = {"fate": st.column_config.TextColumn("", width=36), "beginning": st.column_config.TextColumn(width=190)}


def tries_view() -> None:
    """Write them, merge them, rank them."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="candidates_controls"):
        count = st.segmented_control(words.TRIES_COUNT, COUNTS, default=8, key="candidates_count", required=True, **STAYS) or 8
        length = st.segmented_control(words.LENGTH, LENGTHS, default=40, key="candidates_length", required=True, **STAYS) or 40
        by = (
            st.selectbox(words.SCORE_BY, list(FORMULAS), format_func=words.SCORE_NAMES.__getitem__, key="candidates_by", width=240, **STAYS)
            or MEAN
        )

        now = provenance.now({words.BY_TRIES: words.TRIES_MADE.format(count=count), words.BY_LENGTH: words.tokens(length)})

        @current.error_boundary
        def begin() -> None:
            current.at(TRIES)
            model, prompt, settings = current.model(), current.prompt(), current.settings()
            make = lambda: write_and_time_one(model, prompt, settings, count, length)  # noqa: E731 (called by the experiment)
            experiment.start(TRIES, make, now, (prompt, settings))

        state = experiment.of(TRIES)
        if state.running:
            st.button(words.STOP, on_click=experiment.stop, args=(TRIES,), icon=":material/stop:", key="candidates_stop")
        else:
            label = words.AGAIN_ALL if state.seen else words.START
            if st.button(label, type="primary", icon=":material/edit:", key="candidates_start"):
                begin()
                st.rerun()

    def draw() -> None:
        with results.shown(TRIES, now, begin) as run:
            if run.seen:
                compared(run.seen[-1], by, run.running)
            elif not run.running:
                st.caption(words.TRIES_FIRST)

    results.live(draw, TRIES, key="candidates_fragment")


def compared(newest: BatchStep, by: str, running: bool) -> None:
    """The merged tree beside the ranking, and the price of it all."""
    order = ranked(newest.tries, by)
    left, right = st.columns([0.5, 0.5], gap="large")
    with left:
        frame.section(words.MERGED, words.MERGED_TERM)
        branch_tree(rows_of_tries(merged(newest.tries), order[0].attempt.number), key="candidates_tree", can=(), height=460)
    with right:
        ranking(order, by, running)
    price(newest)


def ranking(order: list[Ranked], by: str, running: bool) -> None:
    """The best ones with their scores; the first is the one that was picked."""
    frame.section(words.RANKING, by, help=FORMULAS[by])
    for place, entry in enumerate(order[:SHOWN]):
        score = numbers.percent(entry.score) if by not in (MEAN,) and entry.score >= 0 else f"{entry.score:.2f}"
        answer = f" · “{frame_safe(entry.answer)}”" if entry.answer else ""
        with st.container(border=place == 0, gap="xsmall"):
            st.caption(f"{place + 1}. · {words.TRY_NOTE.format(number=entry.attempt.number + 1)} · {score}{answer}")
            tinted_text(entry.attempt.path, key=f"candidates_text_{place}", small=True)
            if place == 0 and not running and not experiment.of(TRIES).recorded_on:
                st.button(
                    words.KEEP_TRY,
                    on_click=frame.then,
                    args=(keep_try, (), entry.attempt.number),
                    key="candidates_keep",
                    icon=":material/check:",
                )
                if undo.can_bring_back():
                    st.button(
                        watch_words.BRING_BACK,
                        on_click=frame.then,
                        args=(undo.bring_back, ()),
                        help=watch_words.BRING_BACK_HELP,
                        type="tertiary",
                        key="candidates_bring_back",
                    )


def frame_safe(text: str) -> str:
    """An answer inside Markdown: letters and digits only."""
    return "".join(c if c.isalnum() or c in " .,-" else "·" for c in text[:30])


@current.error_boundary
def keep_try(number: int) -> None:
    """Write this try into the visitor's run, token by token as it was shown; what they had is put aside for them."""
    run = experiment.of(TRIES)
    attempt = run.seen[-1].tries[number]
    prompt, settings = run.about
    undo.keep_path(prompt, settings, attempt.path)
    current.notify(words.KEPT_TRY)


def price(newest: BatchStep) -> None:
    """N tries cost N times the tokens; how much time that is, is measured."""
    own = max(len(attempt.path) for attempt in newest.tries)
    st.markdown(
        f"**{words.PRICE}.** "
        + words.PRICE_LINE.format(
            tokens=f"{newest.tokens:,}",
            own=words.tokens(own),
            times=f"{newest.tokens / max(1, own):.1f}".removesuffix(".0"),
            passes=words.passes(newest.forward_passes),
            seconds=numbers.duration(newest.seconds),
        )
    )
    if newest.slower is not None and newest.alone_seconds is not None:
        st.markdown(
            words.PRICE_TIME.format(
                seconds=numbers.duration(newest.alone_seconds),
                passes=words.passes(newest.alone_passes),
                count=len(newest.tries),
                factor=f"{newest.slower:.1f}",
            )
        )


def beam_view() -> None:
    """Keep the N likeliest, drop the rest, see why."""
    st.caption(words.BEAM_LEAD)
    with st.container(horizontal=True, vertical_alignment="bottom", key="candidates_beam_controls"):
        width = st.segmented_control(words.BEAMS, (2, 3, 4, 6, 8), default=3, key="candidates_width", required=True, **STAYS) or 3
        length = st.segmented_control(words.LENGTH, (10, 20, 40), default=20, key="candidates_beam_length", required=True, **STAYS) or 20
        penalty = st.slider(words.PENALTY, 0.0, 2.0, 1.0, 0.1, key="candidates_penalty", help=words.PENALTY_HELP, width=200, **STAYS)
        chosen = {
            words.BY_BEAMS: words.BEAMS_KEPT.format(count=width),
            words.BY_LENGTH: words.tokens(length),
            words.BY_PENALTY: words.PENALTY_OF.format(penalty=f"{penalty:g}"),
        }
        now = provenance.now(chosen, settings=False)
        known, steps = experiment.of(BEAM), beam_steps()
        found: tuple[BeamStep, ...] = known.seen
        fits = known.made_by == now and not known.error and not known.recorded_on
        over = fits and not known.running and steps >= len(found)

        @current.error_boundary
        def begin(steps: int = 1) -> None:
            current.at(BEAM)
            model, prompt = current.model(), current.prompt()
            experiment.start(BEAM, lambda: beam_search(model, prompt, width, length, penalty), now, width)
            current.results()[BEAM_STEPS] = steps

        @current.error_boundary
        def on_by(count: int) -> None:
            if fits:
                current.results()[BEAM_STEPS] = min(steps + count, length)
            else:
                begin(count)

        again = st.button(words.BEAM_AGAIN, type="tertiary", icon=":material/skip_previous:", key="candidates_beam_again")
        one = st.button(
            words.BEAM_STEP, type="primary", icon=":material/arrow_forward:", key="candidates_beam_step", shortcut="Right", disabled=over
        )
        whole = st.button(words.BEAM_ALL, icon=":material/last_page:", key="candidates_beam_all", disabled=over)
        if again:
            begin()
        elif one or whole:
            on_by(length if whole else 1)
        if again or one or whole:
            st.rerun()

    def draw() -> None:
        with results.shown(BEAM, now, begin) as run:
            shown: tuple[BeamStep, ...] = run.seen[: beam_steps()]
            if shown:
                searched(shown, run.about)
            elif not run.error:
                st.caption(words.BEAM_FIRST)

    results.live(draw, BEAM, key="candidates_beam_fragment")


def beam_steps() -> int:
    """How much of the search is shown; of a recording all of it."""
    known = experiment.of(BEAM)
    return len(known.seen) if known.recorded_on else int(current.results().get(BEAM_STEPS, 0))


def searched(found: Sequence[BeamStep], width: int) -> None:
    """The tree of beginnings, and this step's choice."""
    newest = found[-1]
    if newest.done:
        best = newest.answers[0]
        text = plain(best.text)
        st.markdown(words.BEAM_DONE.format(why=newest.done, text=text, log=f"{best.log_probability:.2f}", score=f"{best.score:.3f}"))
    left, right = st.columns([0.5, 0.5], gap="large")
    with left:
        frame.section(words.BEAM_TREE, words.BEAM_TREE_TERM)
        winner = newest.answers[0].node_id if newest.done else None
        branch_tree(rows_of_beams(found, winner), key="candidates_beam_tree", can=(), height=480)
    with right:
        frame.section(words.BEAM_TABLE, words.BEAM_AT.format(place=newest.index + 1))
        lines = [
            (
                MARKS.get(beam.fate, "✗"),
                ("… " if len(beam.text) > 30 else "") + " ".join(beam.text[-30:].split()),
                words.BEAM_WHY[beam.fate].format(width=width, own=f"{beam.log_probability:.2f}", bar=f"{newest.bar:.2f}"),
            )
            for beam in newest.considered
        ]
        st.dataframe(pd.DataFrame(lines, columns=["fate", "beginning", "why"]), column_config=CHOICE, hide_index=True, width="stretch")
        st.caption(words.BEAM_PRICE.format(tokens=words.tokens(newest.tokens), seconds=numbers.duration(newest.seconds)))


frame.header(words.TRIES_TITLE, words.TRIES_TERM, words.TRIES_LEAD)
with frame.error_boundary():
    names = words.TRIES_VIEWS
    wanted = st.segmented_control(
        "View", names, default=names[0], key="candidates_view", label_visibility="collapsed", required=True, **STAYS
    )
    own_text()
    (beam_view if wanted == names[1] else tries_view)()
