"""What Several tries draws: the tries as a tree and a ranking, their price, and the steps of a beam search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import streamlit as st

from core.experiments.candidates.beam import CUT_OFF, DROPPED, FINISHED, KEPT, LATE, BeamStep
from core.experiments.candidates.best_of_n import FORMULAS, MAJORITY, MEAN, NORMALISED, Ranked, merged, ranked
from core.experiments.shared.written_rows import BatchStep
from pages.candidates.rows_of_tries import rows_of_beams, rows_of_candidates
from pages.ui.experiments import experiment
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import N_, _, figures, ngettext, quoted
from pages.ui.session import elements, undo
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import notify
from pages.ui.session.undo import undo_button
from pages.ui.views.chart import branch_tree
from pages.ui.views.tinted_text import tinted_text

TRIES = "candidates"
SHOWN = 5
ROW, MOST_HEIGHT = 38, 1200  # pixels of a row of the tree, and of the whole tree
SCORE_NAMES = {
    MEAN: N_("mean log-probability"),
    NORMALISED: N_("log-probability, short texts not preferred"),
    MAJORITY: N_("the most frequent answer"),
}
BEAM_WHY = {
    KEPT: N_("among the {width} likeliest"),
    DROPPED: N_("ln {own}, below {bar}"),
    FINISHED: N_("finished, a possible answer"),
    CUT_OFF: N_("cut off here, a possible answer"),
    LATE: N_("finished, {width} are likelier"),
}
MARKS = {KEPT: "✓", FINISHED: "■", CUT_OFF: "□"}


@dataclass(slots=True)
class Beam:
    """steps: of the search that are shown; it runs ahead, and Step shows one more."""

    steps: int = 0


def draw_tries(run: Experiment, by: str) -> None:
    """Draw the price, and the merged tree beside the ranking. by: the score."""
    newest: BatchStep = run.observations[-1]
    order = ranked(newest.tries, by)
    price(newest)
    left, right = st.columns([0.5, 0.5], gap="large")
    with left:
        elements.section(_("All tries as one tree"), _("equal beginnings are merged"))
        branch_tree(
            rows_of_candidates(merged(newest.tries), order[0].attempt.number),
            key="candidates_tree",
            title=_("All tries as one tree"),
            can=(),
            height=540,
        )
    with right:
        elements.section(_("From best to worst"), _(by), help=_(FORMULAS[by]))
        ranked_try(0, order[0], by, can_keep=not run.running and not run.recorded_on)
        with st.container(key="detail_candidates"):
            for index, entry in enumerate(order[1:SHOWN], start=1):
                ranked_try(index, entry, by, can_keep=False)
            if len(order) > SHOWN:
                rest = ngettext("{count} more try is in the tree alone.", "{count} more tries are in the tree alone.", len(order) - SHOWN)
                st.caption(rest.format(count=len(order) - SHOWN))


def ranked_try(index: int, entry: Ranked, by: str, can_keep: bool) -> None:
    """Draw one try with its score; the best one can become the visitor's run."""
    score = numbers.percent(entry.score) if by != MEAN and entry.score >= 0 else numbers.decimal(entry.score, 2)
    answer = f" · {quoted(plain(entry.answer[:30]))}" if entry.answer else ""
    with st.container(border=index == 0, gap="xsmall"):
        st.caption(f"{index + 1} · {_('try {number}').format(number=entry.attempt.number + 1)} · {score}{answer}")
        tinted_text(entry.attempt.path, key=f"candidates_text_{index}", small=True)
        if can_keep:
            arguments = (keep_try, (), entry.attempt.number)
            verb, icon = elements.run_and_rerun, ":material/check:"
            with st.container(key="detail_candidates_keep", gap="xsmall"):
                st.button(_("Keep this try"), on_click=verb, args=arguments, key="candidates_keep", icon=icon)
                undo_button("candidates_bring_back")


@action_boundary
def keep_try(number: int) -> None:
    """Make this try the visitor's run, token by token; `undo` keeps the run that it replaces."""
    run = experiment.started_or_recorded(TRIES)
    prompt, settings = run.about
    undo.begin_with_steps(prompt, settings, run.observations[-1].tries[number].path)
    notify(_("This try is your run now, on every page."))


def price(newest: BatchStep) -> None:
    """Draw how many tokens were paid for, and how much slower a pass for all tries is."""
    longest = max(len(attempt.path) for attempt in newest.tries)
    paid = _("**The price.** {tokens} tokens were computed for an answer of {own}: {times} times as many. {passes} in {seconds}.")
    sentence = paid.format(
        tokens=numbers.whole(newest.tokens),
        own=numbers.tokens(longest),
        times=figures(f"{newest.tokens / max(1, longest):,.1f}".removesuffix(".0")),
        passes=numbers.passes(newest.forward_passes),
        seconds=numbers.duration(newest.seconds),
    )
    if newest.slower is not None and newest.alone_seconds is not None:
        slower = _("The first try alone took {seconds} for {passes}, so a pass for {count} takes **{factor} times** as long. Measured.")
        sentence += " " + slower.format(
            seconds=numbers.duration(newest.alone_seconds),
            passes=numbers.passes(newest.alone_passes),
            count=len(newest.tries),
            factor=numbers.decimal(newest.slower, 1),
        )
    st.markdown(sentence)


def draw_beam(steps: Sequence[BeamStep], width: int) -> None:
    """Draw the tree of beginnings, and the choice of the last step."""
    newest = steps[-1]
    if newest.done:
        best = newest.answers[0]
        ended = _("The search has ended ({why}). The answer: “{text}”, ln {log}, score {score}.")
        log, score = numbers.decimal(best.log_probability, 2), numbers.decimal(best.score, 3)
        st.markdown(ended.format(why=newest.done, text=plain(best.text), log=log, score=score))
    left, right = st.columns([0.5, 0.5], gap="large")
    with left:
        elements.section(_("All beginnings as one tree"), _("dashed: dropped"))
        winner = newest.answers[0].node_id if newest.done else None
        rows = rows_of_beams(steps, winner)
        height = min(MOST_HEIGHT, ROW * len(rows) + 20)  # the winner stands at the end, so that a fixed height would hide it
        branch_tree(rows, key="candidates_beam_tree", title=_("All beginnings as one tree"), can=(), height=height)
    with right:
        elements.section(_("What is kept and what is dropped"), _("step {place}").format(place=newest.index + 1))
        lines = []
        for beam in newest.considered:
            text = ("… " if len(beam.text) > 30 else "") + " ".join(beam.text[-30:].split())
            log_probability, bar = numbers.decimal(beam.log_probability, 2), numbers.decimal(newest.bar, 2)
            lines.append((MARKS.get(beam.fate, "✗"), text, _(BEAM_WHY[beam.fate]).format(width=width, own=log_probability, bar=bar)))
        columns = {"fate": st.column_config.TextColumn("", width=36), _("beginning"): st.column_config.TextColumn(width=170)}
        table = pd.DataFrame(lines, columns=["fate", _("beginning"), _("why")])
        st.dataframe(table, column_config=columns, hide_index=True, width="stretch")
        computed = _("{tokens} computed in {seconds}: measured.")
        st.caption(computed.format(tokens=numbers.tokens(newest.tokens), seconds=numbers.duration(newest.seconds)))
