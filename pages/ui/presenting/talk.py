"""A talk being given: a running order is put together, and gone through with the keys.

A stop is a place in the app with all that is set there: its link. The stage and the pages go on with the visitor's own run, which a link
sets to a text, settings and steps; a recording that a stop carries, or names (`stage?run=loop`), is opened in its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import ViewerError
from core.language import say
from pages.ui.i18n import page_titles
from pages.ui.presenting.running_order import Stop, Talk
from pages.ui.session import current, run_start
from pages.ui.session.sampling_controls import CONTROLS
from pages.ui.session.state import current_session, results

if TYPE_CHECKING:
    from core import Recording

STAGE = "stage"
RECORDING_PARAMETER = "run"  # in a stop's link: the name of a run of the gallery, which is replayed
RUN_PARAMETERS = {
    RECORDING_PARAMETER,
    "prompt",
    "model",
    "steps",
    "as_chat",
    *(control.key for control in CONTROLS),
}  # what a link says of the run; all else is its page's


@dataclass(slots=True)
class ActiveTalk:
    """A talk being given. place: the stop that is shown, from 0. go: the stop that was asked for. leave: whether it is to end."""

    talk: Talk
    place: int = 0
    go: int | None = 0
    leave: bool = False


@dataclass(slots=True)
class TalkEditor:
    """The running order that is put together, and the one that is given."""

    order: Talk | None = None
    active_talk: ActiveTalk | None = None
    opened: int = field(default=0)  # how often another order was opened: the fields of its stops begin anew then


def editor() -> TalkEditor:
    """This visitor's."""
    known = results().setdefault("talk", TalkEditor())
    assert isinstance(known, TalkEditor)
    return known


def active_talk() -> ActiveTalk | None:
    """The talk that is being given, if any."""
    return editor().active_talk


def neighbour(by: int) -> int | None:
    """The place of the stop before (-1) or behind (1) the one shown, if there is one."""
    active = active_talk()
    place = -1 if active is None else active.place + by
    return place if active is not None and 0 <= place < len(active.talk.stops) else None


def begin(order: Talk) -> None:
    """Give this talk, from its first stop; `go` leads there."""
    editor().active_talk = ActiveTalk(order)


def end() -> None:
    """The talk is over."""
    editor().active_talk = None


def go(place: int) -> None:
    """To this stop: the run as its link has it, then its page. Ends the script. Raises BadRunningOrder, BadRecording."""
    active = active_talk()
    if active is None or not 0 <= place < len(active.talk.stops):
        return
    active.place, stop = place, active.talk.stops[place]
    try:
        set_run(stop)
        if _goes_on_with_a_recording(stop):
            set_run(_last_live_stop(active.talk, place))
    except ViewerError as error:  # a broken recording: its stop shows the run that is there, and says so
        current_session().next_page_notices.append(say(error))
    own = {key: value for key, value in stop.query.items() if key not in RUN_PARAMETERS}
    results().pop("stage", None)
    st.switch_page(page_titles.FOLDER / f"{stop.page}.py", query_params=own or None)


def set_run(stop: Stop) -> None:
    """The visitor's run as this stop has it; what was written before is put aside and comes back on Watch."""
    session, query = current_session(), stop.query
    recording = _recording(stop)
    if recording is not None:
        run_start.replace(session, recording.replay(), (current.model_name(), current.prompt(), current.as_chat()))
        return
    if not _sets_run(stop):
        return  # the page goes on with the run that is there
    if query.get("model", "") in current.model_names():
        st.session_state["model"] = query["model"]
    session.save_run()
    current.apply_query(query)
    session.playing = False
    session.begun_with, session.replay_steps = None, query.get("steps")


def _sets_run(stop: Stop) -> bool:
    """Return whether the link of this stop says which text is written. The stage always begins one."""
    return bool(RUN_PARAMETERS & stop.query.keys()) or stop.page == STAGE


def _goes_on_with_a_recording(stop: Stop) -> bool:
    """Return whether this stop would show the recording of the stop before it."""
    run = current_session().run
    return run is not None and run.is_replay and not stop.recording and not _sets_run(stop)


def _last_live_stop(talk: Talk, place: int) -> Stop:
    """Return the last stop before `place` whose link begins a live text; the stage's first prompt if there is none."""
    live = (one for one in reversed(talk.stops[:place]) if _sets_run(one) and not one.recording and RECORDING_PARAMETER not in one.query)
    return next(live, Stop("", STAGE))


def _recording(stop: Stop) -> Recording | None:
    """The recording that this stop carries or names, if any. Raises BadRecording."""
    named = stop.query.get(RECORDING_PARAMETER)
    if not stop.recording and named is None:
        return None
    # Here, and not above: a page that is opened imports this module, and few visitors give a talk.
    from core import Recording
    from core.experiments import prepared

    if stop.recording:
        return Recording.loads(stop.recording)
    return prepared.load(named) if named in {recipe.name for recipe in prepared.PREPARED} else None


def follow() -> None:
    """Do what the keys asked for: to another stop, or out of the talk. Ends the script if there is something to do."""
    active = active_talk()
    if active is None:
        return
    if active.leave:
        end()
        st.switch_page(page_titles.FOLDER / "talk.py")
    if active.go is not None:
        place, active.go = active.go, None
        go(place)
