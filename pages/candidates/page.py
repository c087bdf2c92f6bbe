"""Several tries: written together in real batches, merged into one tree and ranked; and beam search, step by step."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from core.experiments.candidates.beam import BeamStep, beam_search
from core.experiments.candidates.best_of_n import FORMULAS, MEAN, write_and_time_one
from pages.candidates import TRIES_VIEWS, candidates_view
from pages.ui.components.keys.key_bindings import bound
from pages.ui.experiments import experiment, results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n.translation import _, said
from pages.ui.session import current, elements, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.state import memory
from pages.ui.shell import frame
from pages.ui.shell.prompt_field import own_text

frame.page()

TRIES, BEAM = candidates_view.TRIES, "candidates_beam"
COUNTS = (4, 8, 16, 32)
LENGTHS = (20, 40, 80)


def tries_view() -> None:
    """Draw several tries, their tree and their ranking."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="candidates_controls"):
        count = elements.choice(_("Tries"), COUNTS, 8, "candidates_count")
        length = elements.choice(_("Length"), LENGTHS, 40, "candidates_length")
        widget_options = {"format_func": said(candidates_view.SCORE_NAMES).__getitem__, "key": "candidates_by", "width": 240, **PERSISTENT}
        by = st.selectbox(_("Pick by"), list(FORMULAS), **widget_options) or MEAN
        now = provenance.now(tries=count, length=length)
        begin = results.starter(
            TRIES,
            now,
            lambda: write_and_time_one(current.model(), current.prompt(), current.settings(), count, length),
            lambda: (current.prompt(), current.settings()),
        )
        results.start_button(TRIES, _("Write"), begin, type="primary", icon=":material/edit:")
    hint = _("Press Write: all tries are written together, one token of each per pass.")
    results.part(TRIES, now, begin, lambda run: candidates_view.draw_tries(run, by), hint)


def beam_view() -> None:
    """Draw beam search, as far as it was stepped through."""
    st.caption(_("No sampling: at every step the likeliest beams (texts so far) are kept, and all others are dropped."))
    with st.container(horizontal=True, vertical_alignment="bottom", key="candidates_beam_controls"):
        width = elements.choice(_("Beams"), (2, 3, 4, 6, 8), 3, "candidates_width")
        length = elements.choice(_("Length"), (10, 20, 40), 20, "candidates_beam_length")
        power = _("The log-probability of a finished answer is divided by its length to this power. 0: not divided; 1: per token.")
        widget_options = {"help": power, "width": 200, **PERSISTENT}
        penalty = st.slider(_("Length penalty"), 0.0, 2.0, 1.0, 0.1, key="candidates_penalty", **widget_options)
        now = provenance.now(beams=width, length=length, penalty=penalty, settings=False)
        begin = results.starter(BEAM, now, lambda: beam_search(current.model(), current.prompt(), width, length, penalty), width)
        beam_buttons(now, begin, length)

    def draw(run: Experiment) -> None:
        beam: tuple[BeamStep, ...] = run.observations[: beam_steps()]
        if beam:
            candidates_view.draw_beam(beam, run.about)

    results.part(BEAM, now, begin, draw, _("Press Step: one pass, then the choice."))


def beam_buttons(now: provenance.Provenance, begin: Callable[[], None], length: int) -> None:
    """Draw the buttons: from the start, one step, to the end."""
    beam, steps = experiment.started_or_recorded(BEAM), beam_steps()
    fits = beam.made_by == now and not beam.error and not beam.recorded_on
    ended = fits and not beam.running and steps >= len(beam.observations)
    again = elements.pressed(_("From the start"), type="tertiary", icon=":material/skip_previous:", key="candidates_beam_again")
    arrow = ":material/arrow_forward:"
    step_pressed = elements.pressed(_("Step"), type="primary", icon=arrow, disabled=ended, **bound("candidates_beam_step"))
    end_pressed = elements.pressed(_("To the end"), icon=":material/last_page:", key="candidates_beam_all", disabled=ended)
    if not (again or step_pressed or end_pressed):
        return
    more = length if end_pressed else 1
    if fits and not again:
        more = min(steps + more, length)
    else:
        begin()
    memory(candidates_view.Beam).steps = more
    st.rerun()


def beam_steps() -> int:
    """Return how many steps of the search are shown; all of a recorded result."""
    beam = experiment.started_or_recorded(BEAM)
    return len(beam.observations) if beam.recorded_on else memory(candidates_view.Beam).steps


frame.header(
    _("Several tries, pick the best"),
    _("best of N, beam search"),
    _("The model writes the same text several times with other dice, and one try is picked. N tries cost N times the tokens."),
)
with drawing_boundary():
    wanted = results.view(TRIES_VIEWS, "candidates_view")
    own_text()
    (beam_view if wanted == TRIES_VIEWS[1] else tries_view)()
