"""A result on a page: drawn while it runs, with a line on its provenance, and dimmed if it is outdated.

now = provenance.now({N_("the length"): N_("{count} tokens").format(count=length)})
def draw() -> None:
    with results.shown(NAME, now, again=begin) as run:      # notices, error, provenance
        ...                                                 # run.seen
results.live(draw, NAME, key="race_fragment")               # draws repeatedly while the experiment runs
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from html import escape

import streamlit as st

from core.language import _
from pages.ui.charts import charts, palette
from pages.ui.experiments import experiment, recorded_results
from pages.ui.experiments.experiment import Experiment
from pages.ui.i18n import numbers
from pages.ui.session import elements, playback
from pages.ui.session.page_visibility import every
from pages.ui.session.provenance import Provenance
from pages.ui.session.state import PERSISTENT

SPEEDS = (0.25, 0.5, 1.0, 2.0, 5.0, 20.0)  # factors of the recorded speed
LONG_SECONDS = 2.0  # seconds; shorter recordings have no choice of speed


def live(draw: Callable[[], None], *names: str, key: str) -> None:
    """Draw now, and repeatedly while one of these experiments runs. After the last one has ended, rerun the page once."""
    intervals = [interval for name in names if (interval := experiment.of(name).interval)]
    clock = playback.paced(min(intervals, default=None))

    def turn() -> None:
        with experiment.drawing(*names), elements.error_boundary():
            draw()
        if intervals and not any(experiment.of(name).running for name in names):
            st.rerun()
        if clock is not None and playback.outpaced(clock, min(intervals)):
            st.rerun()  # the clock of a fragment can only be set by the whole page

    st.fragment(turn, run_every=every(clock), key=key)()


@contextmanager
def shown(name: str, now: Provenance, again: Callable[[], None] | None = None) -> Iterator[Experiment]:
    """Context for drawing a result: shows errors and provenance, and dims an outdated result. again: runs the experiment again."""
    run = experiment.of(name)
    elements.notices(name)
    if run.error:
        elements.show_notice(_(run.error))
    changed = run.made_by.differences(now) if run.made_by is not None and run.seen else []
    outdated = bool(changed) and not run.running
    if run.recorded_on and run.made_by is not None:
        outdated = outdated and run.made_by.chosen != now.chosen
        recording_line(name, run, outdated, again)
    elif run.made_by is not None and run.seen:
        provenance_line(name, run.made_by, changed, None if run.running else again, run)
    with dimmed(name, outdated):
        yield run


@contextmanager
def dimmed(name: str, outdated: bool) -> Iterator[None]:
    """Context for a result, which is dimmed if it is outdated."""
    with st.container(key=f"result_{name}{'_outdated' if outdated else ''}"):
        yield


def recording_line(name: str, run: Experiment, outdated: bool, again: Callable[[], None] | None) -> None:
    """Draw the line of a recording: its date and provenance, and buttons to run it live, play it and save it."""
    assert run.made_by is not None
    with st.container(horizontal=True, vertical_alignment="center", key=f"recorded_{name}"):
        kind = escape(_("A recording with other choices than those above.") if outdated else _("A recording."))
        details = escape(_("Made on {day}: {provenance}").format(day=numbers.day(run.recorded_on), provenance=run.made_by.summary()))
        grey_line(f"<b>{kind}</b> {details}")
        if run.running:
            return
        if again is not None and st.button(
            _("Run it live"),
            icon=":material/bolt:",
            type="tertiary",
            key=f"again_{name}",
            help=_("Run this experiment now with your model, prompt and settings."),
        ):
            again()
            st.rerun()
        if len(run.seen) > 1:
            pressed = st.button(
                _("Play"),
                icon=":material/replay:",
                type="tertiary",
                key=f"play_{name}",
                help=_("Play the recording at its own speed, or at the speed chosen beside it."),
            )
            pace = 1.0
            if run.seconds[-1] > LONG_SECONDS:
                pace = st.selectbox(
                    _("Playback speed"),
                    SPEEDS,
                    index=SPEEDS.index(1.0),
                    key=f"pace_{name}",
                    format_func=numbers.pace,
                    label_visibility="collapsed",
                    width=92,
                    **PERSISTENT,
                )
            if pressed:
                experiment.play_again(name, pace)
                st.rerun()
        save_button(name, run)


def save_button(name: str, run: Experiment) -> None:
    """Draw the button that saves the experiment, if it can be saved."""
    if not recorded_results.can_save(run):
        return
    st.download_button(
        "",
        data=partial(recorded_results.dumps, name, run),
        file_name=f"{name}{recorded_results.ENDING}",
        mime="application/gzip",
        on_click="ignore",
        icon=":material/download:",
        type="tertiary",
        key=f"keep_{name}",
        help=_("Save this experiment as a file. The gallery opens it without a model."),
    )


def grey_line(line: str) -> None:
    """Draw one grey line of HTML."""
    st.html(f'<div style="font-size:0.85rem;line-height:1.4;color:{palette.of(charts.theme()).muted_text}">{line}</div>', width="content")


def provenance_line(
    name: str, by: Provenance, changed: list[str], again: Callable[[], None] | None = None, run: Experiment | None = None
) -> None:
    """Draw the line of a result: its provenance, the inputs that changed since, and a button to run it again.

    run: the experiment to save.
    """
    with st.container(horizontal=True, vertical_alignment="center", key=f"made_{name}"):
        line = escape(by.summary())
        if changed:
            *first, last = changed
            warning = _("Made before you changed {what}").format(what=(", ".join(first) + _(" and ") if first else "") + last)
            line = f"<b>{escape(warning)}.</b> {line}"
        grey_line(line)
        if changed and again is not None and st.button(_("Run again"), icon=":material/refresh:", type="tertiary", key=f"again_{name}"):
            again()
            st.rerun()
        if run is not None and not run.running:
            save_button(name, run)
