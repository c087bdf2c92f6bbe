"""Several tries: written together in real batches, merged into one tree, ranked; and beam search, step by step."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from core.experiments.beam import CUT_OFF, DROPPED, FINISHED, KEPT, LATE, BeamStep, beam_search
from core.experiments.candidates import FORMULAS, MAJORITY, MEAN, NORMALISED, BatchStep, Ranked, merged, ranked, write_and_time_one
from core.language import N_, _, figures, quoted
from pages.ui.charts.tree_rows import rows_of_beams, rows_of_candidates
from pages.ui.components.branch_tree.branch_tree import branch_tree
from pages.ui.experiments import experiment, results
from pages.ui.i18n import names, numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.session import current, elements, provenance, undo
from pages.ui.session.state import PERSISTENT
from pages.ui.shell import frame
from pages.ui.shell.prompt_field import own_text
from pages.ui.views.tinted_text import tinted_text

frame.page()

SCORE_NAMES = {
    MEAN: _("how likely its words are"),
    NORMALISED: _("likely, but not short"),
    MAJORITY: _("what most of them answer"),
}
BEAM_WHY = {
    KEPT: _("among the {width} likeliest"),
    DROPPED: _("ln {own}, below {bar}"),
    FINISHED: _("it ended, and competes as an answer"),
    CUT_OFF: _("it may get no longer, and competes as an answer though it did not end"),
    LATE: _("it ended, but {width} others are likelier"),
}
TRIES, BEAM = "candidates", "candidates_beam"
BEAM_STEPS = "candidates_beam_steps"  # how much of the search is shown: it runs ahead, and Step shows one more
COUNTS = (4, 8, 16, 32)
LENGTHS = (20, 40, 80)
SHOWN = 5
MARKS = {KEPT: "✓", FINISHED: "■", CUT_OFF: "□"}
CHOICE = {"fate": st.column_config.TextColumn("", width=36), _("beginning"): st.column_config.TextColumn(width=190)}


def tries_view() -> None:
    """Write them, merge them, rank them."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="candidates_controls"):
        count = st.segmented_control(_("Tries"), COUNTS, default=8, key="candidates_count", required=True, **PERSISTENT) or 8
        length = st.segmented_control(_("Length"), LENGTHS, default=40, key="candidates_length", required=True, **PERSISTENT) or 40
        by = (
            st.selectbox(_("Pick by"), list(FORMULAS), format_func=SCORE_NAMES.__getitem__, key="candidates_by", width=240, **PERSISTENT)
            or MEAN
        )

        now = provenance.now(
            {N_("the tries"): N_("{count} tries").format(count=count), N_("the length"): N_("{count} tokens").format(count=length)}
        )

        @current.error_boundary
        def begin() -> None:
            current.anchor_notices(TRIES)
            model, prompt, settings = current.model(), current.prompt(), current.settings()
            make = lambda: write_and_time_one(model, prompt, settings, count, length)  # noqa: E731 (called by the experiment)
            experiment.start(TRIES, make, now, (prompt, settings))

        state = experiment.of(TRIES)
        if state.running:
            st.button(_("Stop"), on_click=experiment.stop, args=(TRIES,), icon=":material/stop:", key="candidates_stop")
        else:
            label = _("Write again") if state.seen else _("Write")
            if st.button(label, type="primary", icon=":material/edit:", key="candidates_start"):
                begin()
                st.rerun()

    def draw() -> None:
        with results.shown(TRIES, now, begin) as run:
            if run.seen:
                compared(run.seen[-1], by, run.running)
            elif not run.running:
                st.caption(_("Press Write: all tries are written together, one word of each per pass through the model."))

    results.live(draw, TRIES, key="candidates_fragment")


def compared(newest: BatchStep, by: str, running: bool) -> None:
    """The merged tree beside the ranking, and the price of it all."""
    order = ranked(newest.tries, by)
    left, right = st.columns([0.5, 0.5], gap="large")
    with left:
        elements.section(_("All tries as one tree"), _("where they agree they share a way"))
        branch_tree(rows_of_candidates(merged(newest.tries), order[0].attempt.number), key="candidates_tree", can=(), height=460)
    with right:
        ranking(order, by, running)
    price(newest)


def ranking(order: list[Ranked], by: str, running: bool) -> None:
    """The best ones with their scores; the first is the one that was picked."""
    elements.section(_("From best to worst"), _(by), help=_(FORMULAS[by]))
    for place, entry in enumerate(order[:SHOWN]):
        score = numbers.percent(entry.score) if by not in (MEAN,) and entry.score >= 0 else numbers.decimal(entry.score, 2)
        answer = f" · {quoted(frame_safe(entry.answer))}" if entry.answer else ""
        with st.container(border=place == 0, gap="xsmall"):
            st.caption(f"{place + 1}. · {_('try {number}').format(number=entry.attempt.number + 1)} · {score}{answer}")
            tinted_text(entry.attempt.path, key=f"candidates_text_{place}", small=True)
            if place == 0 and not running and not experiment.of(TRIES).recorded_on:
                st.button(
                    _("Keep this one"),
                    on_click=elements.run_and_rerun,
                    args=(keep_try, (), entry.attempt.number),
                    key="candidates_keep",
                    icon=":material/check:",
                )
                if undo.can_undo():
                    st.button(
                        _("Bring back my text"),
                        on_click=elements.run_and_rerun,
                        args=(undo.undo, ()),
                        help=_("The text that was here before, as it stood. Press again to undo."),
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
    undo.write_path(prompt, settings, attempt.path)
    current.notify(_("That try is now your run: it goes with you to every page."))


def price(newest: BatchStep) -> None:
    """N tries cost N times the tokens; how much time that is, is measured."""
    own = max(len(attempt.path) for attempt in newest.tries)
    st.markdown(
        f"**{_('The price')}.** "
        + _(
            "{tokens} tokens for an answer of {own}: {times} times the price by the token. {passes} in {seconds}, all tries in each."
        ).format(
            tokens=numbers.whole(newest.tokens),
            own=numbers.tokens(own),
            times=figures(f"{newest.tokens / max(1, own):,.1f}".removesuffix(".0")),
            passes=numbers.passes(newest.forward_passes),
            seconds=numbers.duration(newest.seconds),
        )
    )
    if newest.slower is not None and newest.alone_seconds is not None:
        st.markdown(
            _(
                "The first try alone took {seconds} for {passes}: a pass for {count} takes **{factor} "
                "times** as long as a pass for one. Both measured."
            ).format(
                seconds=numbers.duration(newest.alone_seconds),
                passes=numbers.passes(newest.alone_passes),
                count=len(newest.tries),
                factor=numbers.decimal(newest.slower, 1),
            )
        )


def beam_view() -> None:
    """Keep the N likeliest, drop the rest, see why."""
    st.caption(
        _(
            "Not dice but bookkeeping: at every step the likeliest beginnings are kept, all others are "
            "dropped, however they might have gone on."
        )
    )
    with st.container(horizontal=True, vertical_alignment="bottom", key="candidates_beam_controls"):
        width = st.segmented_control(_("Beams"), (2, 3, 4, 6, 8), default=3, key="candidates_width", required=True, **PERSISTENT) or 3
        length = (
            st.segmented_control(_("Length"), (10, 20, 40), default=20, key="candidates_beam_length", required=True, **PERSISTENT) or 20
        )
        penalty = st.slider(
            _("Length penalty"),
            0.0,
            2.0,
            1.0,
            0.1,
            key="candidates_penalty",
            help=_("A finished answer's log-probability is divided by its length to this power. 0: as it is; 1: per word."),
            width=200,
            **PERSISTENT,
        )
        chosen = {
            N_("the beams"): N_("{count} beams").format(count=width),
            N_("the length"): N_("{count} tokens").format(count=length),
            N_("the penalty"): N_("length penalty {penalty}").format(penalty=f"{penalty:g}"),
        }
        now = provenance.now(chosen, settings=False)
        known, steps = experiment.of(BEAM), beam_steps()
        found: tuple[BeamStep, ...] = known.seen
        fits = known.made_by == now and not known.error and not known.recorded_on
        over = fits and not known.running and steps >= len(found)

        @current.error_boundary
        def begin(steps: int = 1) -> None:
            current.anchor_notices(BEAM)
            model, prompt = current.model(), current.prompt()
            experiment.start(BEAM, lambda: beam_search(model, prompt, width, length, penalty), now, width)
            current.results()[BEAM_STEPS] = steps

        @current.error_boundary
        def on_by(count: int) -> None:
            if fits:
                current.results()[BEAM_STEPS] = min(steps + count, length)
            else:
                begin(count)

        again = st.button(_("From the start"), type="tertiary", icon=":material/skip_previous:", key="candidates_beam_again")
        one = st.button(
            _("Step"), type="primary", icon=":material/arrow_forward:", key="candidates_beam_step", shortcut="Right", disabled=over
        )
        whole = st.button(_("To the end"), icon=":material/last_page:", key="candidates_beam_all", disabled=over)
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
                st.caption(_("Press Step: one pass through the model, then the choice."))

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
        st.markdown(
            _("The search is over ({why}). The answer: “{text}”, ln {log}, score {score}.").format(
                why=newest.done, text=text, log=numbers.decimal(best.log_probability, 2), score=numbers.decimal(best.score, 3)
            )
        )
    left, right = st.columns([0.5, 0.5], gap="large")
    with left:
        elements.section(_("All beginnings as one tree"), _("dashed: given up"))
        winner = newest.answers[0].node_id if newest.done else None
        branch_tree(rows_of_beams(found, winner), key="candidates_beam_tree", can=(), height=480)
    with right:
        elements.section(_("What is kept, what is dropped"), _("step {place}").format(place=newest.index + 1))
        lines = [
            (
                MARKS.get(beam.fate, "✗"),
                ("… " if len(beam.text) > 30 else "") + " ".join(beam.text[-30:].split()),
                BEAM_WHY[beam.fate].format(width=width, own=numbers.decimal(beam.log_probability, 2), bar=numbers.decimal(newest.bar, 2)),
            )
            for beam in newest.considered
        ]
        st.dataframe(
            pd.DataFrame(lines, columns=["fate", _("beginning"), _("why")]), column_config=CHOICE, hide_index=True, width="stretch"
        )
        st.caption(
            _("{tokens} computed in {seconds}: measured.").format(
                tokens=numbers.tokens(newest.tokens), seconds=numbers.duration(newest.seconds)
            )
        )


frame.header(
    _("Several tries, pick the best"),
    _("best of N, beam search"),
    _("The model writes the same text several times, with other dice each time. Then one is picked. It costs as many times the tokens."),
)
with elements.error_boundary():
    views = names.TRIES_VIEWS
    wanted = st.segmented_control(
        _("View"), views, default=views[0], key="candidates_view", format_func=_, label_visibility="collapsed", required=True, **PERSISTENT
    )
    own_text()
    (beam_view if wanted == views[1] else tries_view)()
