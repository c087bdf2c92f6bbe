"""A talk: its editor's state, the stop that is shown, and the bar above every page, whose keys go to other stops.

The link of a stop sets the visitor's run: prompt, settings and steps. A stop can also contain a recording or name one of the gallery
(`stage?run=loop`), which replaces the run. After a reload the talk continues at the same stop. Which key does what is decided in
`components/talk_bar/talk_bar.js`, on the stage in `components/stage/stage_keys.js`.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import streamlit as st

from core.errors import ViewerError
from core.sampling.settings import SETTINGS
from core.sources.capabilities import Can
from pages.ui import features
from pages.ui.components.browser import browser
from pages.ui.components.stage import texts
from pages.ui.components.talk_bar.talk_bar import talk_bar
from pages.ui.experiments import experiment
from pages.ui.i18n.translation import _, said, say
from pages.ui.presenting import prepared_talks
from pages.ui.presenting.talk_file import WITHOUT_A_CHOICE, Stop, Talk
from pages.ui.session import current, elements, run_start
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import notify_next_page
from pages.ui.session.run_request import RunRequest
from pages.ui.session.share_link import LINK_KEYS
from pages.ui.session.state import current_session, memory

if TYPE_CHECKING:
    from core import Generation, Recording


HERE = Path(__file__).parent
LINKS = ("stage", "notes")  # ?stage=1 opens the stage, ?notes=1 the speaker's window
KEY = "talk_bar"
DETAIL = '[class*="st-key-detail_"]'  # of the page, for a reader who has time; a talk leaves it out
PLAYER = '[data-testid="stBottom"]'  # the bar presses its button, though it is hidden
MEMORY_KEY = "talk_memory"
LARGEST = 900_000  # bytes as the browser sends it back; the gate lets a message of 2 MB pass, and it contains two running orders
STAGE = "stage"
QUESTION = """ .st-key-heading { padding-top: 9vh; } .st-key-heading h1 { font-size: 3.6rem; }
.st-key-heading [data-testid="stCaptionContainer"] p { font-size: 1.7rem; line-height: 1.4; max-width: 62rem; }"""  # fills the screen
RECORDING_PARAMETER = "run"  # query parameter of a stop: the name of a recorded run of the gallery
RUN_PARAMETERS = {
    RECORDING_PARAMETER,
    "prompt",
    "model",
    "steps",
    "as_chat",
    *LINK_KEYS,
    *SETTINGS,
}  # query parameters of the run; all others belong to the page
PAGE_PARAMETERS = {"tour": {"stop"}}  # by page: its own parameters with the name of one of the run


def follow_links(page: str) -> None:
    """Open the page of ?stage=1 or ?notes=1, once, and follow the keys of a talk. Ends the script on a change of page."""
    link = current_session().link.query
    for name in LINKS:
        if link.pop(name, "") == "1" and page != name and features.is_here(name):
            st.switch_page(features.file_of(name))
    must_open_model = current_session().link.requested is not None  # Watch offers it; pages without a sidebar do not
    if features.feature_of(page).bare and must_open_model:
        st.switch_page(features.file_of("watch"))
    follow()


def hidden_stage_link(page: str) -> None:
    """Draw an invisible link to the stage for the key S, on pages without a visible one. Tab skips it."""
    if page not in ("", "watch") and active_talk() is None:
        with st.container(key="stage_way"):
            elements.page_link("stage", label=_("On stage"))


def is_stop(page: str) -> bool:
    """Return whether the page is shown as a stop of the talk in progress."""
    return active_talk() is not None and page != "talk"


def talk_bar_of_page(page: str) -> None:
    """During a talk, enlarge the page, hide its frame and draw the talk bar at its head."""
    if not is_stop(page):
        return
    st.html(f"<style>{(HERE / 'talk.css').read_text('utf-8')}{only_shown()}</style>")
    show_bar()


def only_shown() -> str:
    """Return the style that hides all of a page but the parts that the stop shows, its button, this bar and the list of keys; "" without.

    Within a part, a container with the key `detail_...` is hidden, too: figures and controls for which the screen has no room.

    A stop with a button hides all results until it is pressed, so that the audience does not see the answer before the question.

    A key of Streamlit is the class `st-key-<key>` of its element; the key of a result ends in `_outdated` after a change of controls.
    """
    active = active_talk()
    stop = active.talk.stops[active.place] if active is not None else None
    if stop is None or not stop.shown:
        return ""
    begun = new_results()
    keys = [*stop.shown, KEY, "keys"]
    asks = bool(stop.start) and not begun and any(key.startswith("result_") or key.endswith("_seen") for key in stop.shown)
    if stop.start and not begun:
        keys += [stop.start] + ["heading"] * asks  # the question, before the result
    parts = [*(f".st-key-{key}" for key in keys), *(f".st-key-{key}_outdated" for key in stop.shown), ".stAlert", ".stException"]
    names, inside = ", ".join(parts), ", ".join(f"{part} *" for part in parts)
    blocks = ':is(.stElementContainer, .stVerticalBlock, .stHorizontalBlock, .stColumn, .stLayoutWrapper, .stExpander, [class*="st-key-"])'
    others = f".stMainBlockContainer {blocks}:not(:has({names})):not({names}):not({inside})"
    details = f".stMainBlockContainer {DETAIL}, .stColumn:has(> * > :only-child > {DETAIL})"
    style = f"{others}, {details}, {PLAYER} {{ display: none !important; }}" + QUESTION * asks
    if not stop.start:
        return style
    live = "".join(f":not(.st-key-result_{name})" for name in begun)
    return f'{style} .stMainBlockContainer [class*="st-key-result_"]{live} {{ display: none !important; }}'


def show_bar() -> None:
    """Draw the talk bar and receive its keys."""
    data = {"talk": shown_stop(), "texts": said(texts.TEXTS), "session": current.storage_key()}
    talk_bar(KEY, data, _pressed)


@action_boundary
def _pressed() -> None:
    """Open the next or previous stop, or leave the talk."""
    event = getattr(st.session_state.get(KEY), "did", None)
    active = active_talk()
    if active is None or not isinstance(event, dict):
        return
    number = event.get("number")
    if not isinstance(number, int) or number <= editor().pressed:
        return
    editor().pressed = number
    if event.get("leave"):
        active.leave = True
    elif event.get("by") in (1, -1):
        active.go = neighbour(event["by"])


def keep_talk() -> None:
    """Store the editor's running order and the talk in progress in the browser. app.py calls this once per page."""
    edited = editor()
    order, given = _to_store(edited.order if _own(edited) else None), _to_store(edited.active_talk.talk if edited.active_talk else None)
    stop_index = edited.active_talk.place if edited.active_talk else 0
    data = {"session": current.storage_key(), "order": order, "given": given, "place": stop_index}
    browser.talk(MEMORY_KEY, data, lambda: found(getattr(st.session_state.get(MEMORY_KEY), "found", None)))


def _own(editor: TalkEditor) -> bool:
    """Return whether the editor contains another order than the default."""
    return editor.order is not None and editor.order not in (prepared_talks.THREE, prepared_talks.translated(prepared_talks.THREE))


def _to_store(order: Talk | None) -> str:
    text = order.dumps() if order is not None else ""
    return text if len(text) <= LARGEST and len(json.dumps(text, ensure_ascii=False).encode()) <= LARGEST else ""


@action_boundary
def found(stored: object) -> None:
    """Restore what the browser stored from an earlier session of this tab. `stored` can be any value. Raises BadRecording."""
    edited = editor()
    if not isinstance(stored, dict) or _own(edited) or edited.active_talk is not None:
        return
    from pages.ui.presenting import talk_file

    order, given, stop_index = stored.get("order"), stored.get("given"), stored.get("place")
    if isinstance(order, str) and order:
        edited.order = talk_file.loads(order)
        edited.opened += 1
    if isinstance(given, str) and given:
        talk = talk_file.loads(given)
        at = stop_index if isinstance(stop_index, int) and not isinstance(stop_index, bool) and 0 <= stop_index < len(talk.stops) else 0
        edited.active_talk = ActiveTalk(talk, at, go=None)


@dataclass(slots=True)
class ActiveTalk:
    """A talk in progress. place: the current stop, from 0. go: the stop to open next. leave: whether to end the talk.

    before: the run that a stop with a recording replaced, with its request; a later stop without a text of its own goes on with it.
    earlier: the experiments that were started before the stop opened; it does not show their results.
    name: of its clock in the browser, so that the clock runs on from stop to stop and after a reload.
    """

    talk: Talk
    place: int = 0
    go: int | None = 0
    leave: bool = False
    before: tuple[Generation, RunRequest] | None = None
    earlier: dict[str, object] = field(default_factory=dict)
    name: str = field(default_factory=lambda: token_hex(4))


@dataclass(slots=True)
class TalkEditor:
    """The running order in the editor, and the talk in progress."""

    order: Talk | None = None
    active_talk: ActiveTalk | None = None
    left: ActiveTalk | None = None  # the talk that was left, to be continued
    stops_opened: int = 0  # the stage begins anew with each
    pressed: int = 0  # number of the newest press that was done
    opened: int = field(default=0)  # number of opened orders; part of the fields' keys, so that they start with the new values


def editor() -> TalkEditor:
    """Return the state of this visitor's editor."""
    return memory(TalkEditor)


def active_talk() -> ActiveTalk | None:
    """Return the talk in progress, None if there is none."""
    return editor().active_talk


def shown_stop() -> dict[str, Any] | None:
    """Return the current stop as the browser gets it, None without a talk."""
    active = active_talk()
    if active is None:
        return None
    stops = active.talk.stops
    stop, later = stops[active.place], stops[active.place + 1 : active.place + 2]
    return {
        "name": active.talk.name,
        "place": active.place,
        "count": len(stops),
        "title": stop.title,
        "say": stop.say,
        "words": stop.words,
        "doubt": WITHOUT_A_CHOICE if stop.doubt is None else stop.doubt,
        "start": stop.start,
        "acts": stop.acts,
        "slow": stop.page == STAGE and all(earlier.page != STAGE for earlier in stops[: active.place]),
        "minutes": active.talk.minutes,
        "clock": active.name,
        "next": later[0].title if later else "",
    }


def neighbour(by: int) -> int | None:
    """Return the place of the previous (-1) or next (1) stop, None if there is none."""
    active = active_talk()
    index = -1 if active is None else active.place + by
    return index if active is not None and 0 <= index < len(active.talk.stops) else None


def begin(order: Talk) -> None:
    """Start this talk. `follow` opens its first stop."""
    editor().active_talk, editor().left = ActiveTalk(order), None


def end() -> None:
    """End the talk. `resume` continues it."""
    if editor().active_talk is not None:
        editor().left, editor().active_talk = editor().active_talk, None


def resume() -> None:
    """Continue the talk that was left, at its last stop. `follow` opens it."""
    left = editor().left
    if left is not None:
        editor().active_talk, editor().left = ActiveTalk(left.talk, left.place, go=left.place, name=left.name), None


def go(index: int) -> None:
    """Set the run of this stop and open its page. Ends the script."""
    active = active_talk()
    if active is None or not 0 <= index < len(active.talk.stops):
        return
    active.place, stop = index, active.talk.stops[index]
    try:
        _keep_before_a_recording(active, stop)
        set_run(_with_text(active, stop))
        if _goes_on_with_a_recording(stop):
            _go_on_before_the_recording(active)
    except ViewerError as error:  # a broken recording: the stop keeps the current run and shows a notice
        notify_next_page(say(error))
    active.earlier = dict(experiment.live())
    page_query = {key: value for key, value in stop.query.items() if key not in run_query(stop)}
    editor().stops_opened += 1
    st.switch_page(features.file_of(stop.page), query_params=page_query or None)


def run_query(stop: Stop) -> dict[str, str]:
    """Return the part of the stop's query that belongs to its run."""
    names = RUN_PARAMETERS - PAGE_PARAMETERS.get(stop.page, set())
    return {key: value for key, value in stop.query.items() if key in names}


def new_results() -> list[str]:
    """Return the experiments that were started at the current stop."""
    active = active_talk()
    earlier = active.earlier if active is not None else {}
    return [name for name, worker in experiment.live().items() if worker is not earlier.get(name)]


def _with_text(active: ActiveTalk, stop: Stop) -> Stop:
    """Return the stop with the text that it shows: its own, or that of the stop before it on stage, written as the talk planned it.

    What the presenter changed there, the temperature or a token, is not continued. Without a planned length the run goes on as it is.
    """
    if _sets_run(stop) or stop.recording:
        return stop
    texts = [earlier for earlier in active.talk.stops[: active.place] if _sets_run(earlier) and _recorded_name(earlier) is None]
    if not texts or texts[-1].recording or texts[-1].words is None:
        return stop
    query = {"steps": str(texts[-1].words)} | texts[-1].query
    return replace(stop, link=f"{stop.page}?{urlencode(query)}")


def set_run(stop: Stop) -> None:
    """Set the visitor's run to that of a stop. The old run is saved for undo on Watch. Raises BadRecording."""
    session, query = current_session(), run_query(stop)
    recording = _recording(stop)
    if recording is not None:
        run_start.replace_run(session, recording.replay(), current.request())
        return
    if not _sets_run(stop):
        return  # the page uses the current run
    if query.get("model", "") in current.model_names():
        st.session_state["model"] = query["model"]
    session.save_run()
    current.apply_query(query)
    session.player.playing = False
    session.begun.asked, session.link.steps = None, query.get("steps")


def _sets_run(stop: Stop) -> bool:
    """Return whether the link of this stop says which text is written. The stage always begins one."""
    return bool(run_query(stop)) or stop.page == STAGE


def _goes_on_with_a_recording(stop: Stop) -> bool:
    """Return whether this stop would show the recording of the stop before it."""
    run = current_session().run
    return run is not None and Can.NEW_TOKENS not in run.can and not stop.recording and not _sets_run(stop)


def _keep_before_a_recording(active: ActiveTalk, stop: Stop) -> None:
    """Keep the run that a recording is about to replace."""
    session = current_session()
    if session.run is not None and Can.NEW_TOKENS in session.run.can and session.begun.of_run is not None and _recording(stop) is not None:
        active.before = session.run, session.begun.of_run


def _go_on_before_the_recording(active: ActiveTalk) -> None:
    """Put back the run that the recording replaced, with its steps; without one, begin the stage's first prompt."""
    if active.before is None:
        set_run(Stop("", STAGE))
        return
    run, request = active.before
    run_start.replace_run(current_session(), run, request)


def _recorded_name(stop: Stop) -> str | None:
    return stop.query.get(RECORDING_PARAMETER)


def _recording(stop: Stop) -> Recording | None:
    """Return the recording of this stop, None if it has none. Raises BadRecording."""
    named = _recorded_name(stop)
    if not stop.recording and named is None:
        return None
    # Imported here, because every page imports this module and few visitors give a talk.
    from core import Recording
    from core.experiments.shared import prepared_runs

    if stop.recording:
        return Recording.loads(stop.recording)
    return prepared_runs.load(named) if named in {recipe.name for recipe in prepared_runs.PREPARED} else None


def follow() -> None:
    """Open the stop that a key requested, or leave the talk. Then ends the script."""
    active = active_talk()
    if active is None:
        return
    if active.leave:
        end()
        st.switch_page(features.file_of("talk"))
    if active.go is not None:
        index, active.go = active.go, None
        go(index)
