"""An experiment on a page: its button, and its result, which is redrawn while the experiment runs and dimmed when the controls differ.

now = provenance.now(length=length)
begin = results.starter("race", now, lambda: race(current.model(), current.prompt(), current.settings(), length))
results.start_button("race", _("Start the race"), begin, icon=":material/flag:")
results.part("race", now, begin, draw, _("Press the button ..."))     # draw(run) is called once run.observations holds an observation
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from html import escape
from typing import Any

import streamlit as st

from pages.ui.experiments import experiment, stored_results
from pages.ui.experiments.snapshot import Experiment
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _, quoted
from pages.ui.session import elements, notices, progress, provenance
from pages.ui.session.elements import PERSISTENT
from pages.ui.session.error_boundary import action_boundary, drawing_boundary
from pages.ui.session.notices import anchor_notices
from pages.ui.session.offered_files import save_button
from pages.ui.session.provenance import Provenance

SPEEDS = (0.25, 0.5, 1.0, 2.0, 5.0, 20.0)  # factors of the recorded speed
LONG_SECONDS = 2.0  # seconds; shorter recordings have no choice of speed


def view(views: Sequence[str], key: str) -> str:
    """Draw the choice between the parts of a page and return the chosen one, in English."""
    chosen = st.segmented_control(
        _("View"), views, default=views[0], key=key, format_func=_, label_visibility="collapsed", required=True, **PERSISTENT
    )
    return chosen or views[0]


def starter(name: str, now: Provenance, make: Callable[[], Iterator[Any]], about: Any = None, of_page: bool = False) -> Callable[[], None]:
    """Return a function that starts the experiment `name`.

    make: returns the generator. It is called in the visitor's session, so it can ask for their model, prompt and settings; the generator
    itself runs in the worker. about: a value that the page stores with the result, or a function that returns it.
    """

    @action_boundary
    def begin() -> None:
        anchor_notices(name)
        source = make()
        experiment.start(name, lambda: source, now, about() if callable(about) else about, of_page)

    return begin


def start_button(name: str, label: str, begin: Callable[[], None], *, key: str = "", **widget_options: Any) -> None:
    """Draw the button that starts an experiment; while it runs, the button that stops it."""
    key = key or f"{name}_start"
    if experiment.started_or_recorded(name).running:
        st.button(_("Stop"), on_click=experiment.stop, args=(name,), icon=":material/stop:", key=f"{key.removesuffix('_start')}_stop")
        experiment.note_stop_button(name)
    else:
        elements.button(label, begin, key, **widget_options)


def part(name: str, now: Provenance, begin: Callable[[], None], draw: Callable[[Experiment], None], hint: str = "") -> None:
    """Draw the result of one experiment. hint: what to do, shown as long as nothing was observed."""

    def whole() -> None:
        with shown(name, now, begin) as run:
            if run.observations:
                draw(run)
            elif run.running:
                st.caption(_("Computing. The first result appears here."))
            elif hint and not run.running and not run.error:
                st.caption(hint)

    live(whole, name, key=f"{name}_course")


def live(draw: Callable[[], None], *names: str, key: str) -> None:
    """Draw now, and after each observation of one of these experiments. When the last one has ended, rerun the whole page once."""
    runs = any(experiment.started_or_recorded(name).running for name in names)

    def turn() -> None:
        with experiment.drawing(*names), drawing_boundary():
            draw()
        if not any(experiment.started_or_recorded(name).running for name in names) and (experiment.had_stop_button(*names) or runs):
            st.rerun()

    progress.part(turn, partial(experiment.observed, names), key=key, advances=runs)


@contextmanager
def shown(name: str, now: Provenance, again: Callable[[], None] | None = None) -> Iterator[Experiment]:
    """Draw around a result its notices, its error and the line that says what made it. again: starts the experiment again."""
    run = experiment.started_or_recorded(name)
    elements.notices(name)
    if run.error:
        notices.show_notice(_(run.error))
    changed = run.made_by.differences(now) if run.made_by is not None and run.observations else []
    outdated = bool(changed) and not run.running
    if run.recorded_on and run.made_by is not None:
        outdated = outdated and run.made_by.shown_controls() != now.shown_controls()
        recording_line(name, run, outdated, again, run.made_by.other_text(now))
    elif run.made_by is not None and run.observations:
        provenance_line(name, run.made_by, changed, None if run.running else again, run)
    with dimmed(name, outdated), provenance.of_result(run.made_by):
        yield run


@contextmanager
def dimmed(name: str, outdated: bool) -> Iterator[None]:
    """Dim a result whose controls have changed."""
    with st.container(key=f"result_{name}{'_outdated' if outdated else ''}"):
        yield


def recording_line(name: str, run: Experiment, outdated: bool, again: Callable[[], None] | None, about: str = "") -> None:
    """Draw the line of a recorded result: its day and what made it, and buttons to play it again or to run it live.

    about: the text that it is about, if the page shows another one.
    """
    assert run.made_by is not None
    with st.container(horizontal=True, vertical_alignment="center", key=f"recorded_{name}"):
        sentence = escape(_("A recorded result, made with other choices than those above.") if outdated else _("A recorded result."))
        if about:  # a prompt stands in the summary
            other = (
                _("It is about another text.") if run.made_by.prompt else _("It is about another text: {text}").format(text=quoted(about))
            )
            sentence += " " + escape(other)
        origin = escape(_("Made on {day}: {told}").format(day=numbers.day(run.recorded_on), told=run.made_by.summary()))
        grey_line(f"<b>{sentence}</b> {origin}")
        if run.running:
            return
        if again is not None and elements.pressed(
            _("Run it live"),
            icon=":material/bolt:",
            type="tertiary",
            key=f"again_{name}",
            help=_("Run this experiment now, with your model, your prompt and your settings."),
        ):
            again()
            st.rerun()
        if len(run.observations) > 1:
            pressed = elements.pressed(
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
        keep_button(name, run)


def keep_button(name: str, run: Experiment) -> None:
    """Draw the button that saves the experiment as a file, if it can be saved."""
    if not stored_results.can_save(name, run):
        return
    about = _("Save this experiment as a file. The gallery opens it without a model.")
    save_button("", partial(stored_results.dumps, name, run), f"{name}{stored_results.ENDING}", key=f"keep_{name}", help=about, quiet=True)


def grey_line(line: str) -> None:
    """Draw one grey line of HTML."""
    style = "font-size:0.85rem;line-height:1.4;overflow-wrap:anywhere;color:var(--tv-muted-text)"
    st.html(f'<div style="{style}">{line}</div>', width="content")


def provenance_line(
    name: str, by: Provenance, changed: list[str], again: Callable[[], None] | None = None, run: Experiment | None = None
) -> None:
    """Draw the line that says what made a result, what has changed since, and the button that runs it again.

    run: the experiment that can be saved as a file.
    """
    with st.container(horizontal=True, vertical_alignment="center", key=f"made_{name}"):
        line = escape(by.summary())
        if changed:
            *first, last = changed
            warning = _("Made before you changed {what}").format(what=(", ".join(first) + _(" and ") if first else "") + last)
            line = f"<b>{escape(warning)}.</b> {line}"
        grey_line(line)
        refresh: dict[str, Any] = {"icon": ":material/refresh:", "type": "tertiary"}
        if changed and again is not None and elements.pressed(_("Run again"), f"again_{name}", **refresh):
            again()
            st.rerun()
        if run is not None and not run.running:
            keep_button(name, run)
