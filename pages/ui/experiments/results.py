"""A result on a page: drawn while it comes, with one quiet line on what made it, and dimmed when the controls say something else.

now = provenance.now({N_("the length"): N_("{count} tokens").format(count=length)})
def draw() -> None:
    with results.shown(NAME, now, again=begin) as run:      # its notices, its error, the line
        ...                                                 # run.seen
results.live(draw, NAME, key="race_fragment")               # draws again and again while one of its experiments runs
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

SPEEDS = (0.25, 0.5, 1.0, 2.0, 5.0, 20.0)  # times as fast as it was
LONG_SECONDS = 2.0  # seconds; what was over sooner needs no pace


def live(draw: Callable[[], None], *names: str, key: str) -> None:
    """Draw now, and again while one of these experiments runs; once the last is over, the whole page, which then stands still."""
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
    """Around the drawing of a result: what went wrong, what made it, and that it is from before if it is. again: makes it anew."""
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
    """Around a result: pale while it is from before."""
    with st.container(key=f"result_{name}{'_outdated' if outdated else ''}"):
        yield


def recording_line(name: str, run: Experiment, outdated: bool, again: Callable[[], None] | None) -> None:
    """The quiet line of a recording: that it is one, of which day and of what; to play it again, or to run it here and now."""
    assert run.made_by is not None
    with st.container(horizontal=True, vertical_alignment="center", key=f"recorded_{name}"):
        said = escape(_("A recording, made with other choices than those above.") if outdated else _("A recording."))
        told = escape(_("Made on {day}: {told}").format(day=numbers.day(run.recorded_on), told=run.made_by.summary()))
        grey_line(f"<b>{said}</b> {told}")
        if run.running:
            return
        if again is not None and st.button(
            _("Run it live"),
            icon=":material/bolt:",
            type="tertiary",
            key=f"again_{name}",
            help=_("Do the same here and now, with your model, your prompt and your settings."),
        ):
            again()
            st.rerun()
        if len(run.seen) > 1:
            pressed = st.button(
                _("Play"),
                icon=":material/replay:",
                type="tertiary",
                key=f"play_{name}",
                help=_("Show the recording once more, in the time it took."),
            )
            pace = 1.0
            if run.seconds[-1] > LONG_SECONDS:
                pace = st.selectbox(
                    _("How fast it plays"),
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
    """The experiment as a file, if it can be one."""
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
        help=_("Save this experiment as a file. The gallery opens it again, without a model."),
    )


def grey_line(line: str) -> None:
    """One grey line of HTML."""
    st.html(f'<div style="font-size:0.85rem;line-height:1.4;color:{palette.of(charts.theme()).muted_text}">{line}</div>', width="content")


def provenance_line(
    name: str, by: Provenance, changed: list[str], again: Callable[[], None] | None = None, run: Experiment | None = None
) -> None:
    """The quiet line: what made it; where something is another now, a word on that, and a button that makes it anew.

    run: what can be kept as a file.
    """
    with st.container(horizontal=True, vertical_alignment="center", key=f"made_{name}"):
        line = escape(by.summary())
        if changed:
            *first, last = changed
            said = _("Made before you changed {what}").format(what=(", ".join(first) + _(" and ") if first else "") + last)
            line = f"<b>{escape(said)}.</b> {line}"
        grey_line(line)
        if changed and again is not None and st.button(_("Run again"), icon=":material/refresh:", type="tertiary", key=f"again_{name}"):
            again()
            st.rerun()
        if run is not None and not run.running:
            save_button(name, run)
