"""The current session: its model, run, settings and the step that is shown. Only this module and `state` use `st.session_state`.

A page reads `model()`, `run()`, `settings()`, `shown()` and passes the actions (`step`, `force`, `go_back`, ...) to its widgets as
callbacks. An action that fails adds one sentence to `notices()`, which the next action removes. The visitor's run is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from secrets import randbelow
from typing import TYPE_CHECKING, Any

import streamlit as st

from core import SamplingSettings, list_models
from core.errors import ViewerError
from core.record.step import Step, TokenDistribution
from core.remote.address import without_secrets
from core.sampling.settings import SETTINGS
from core.sampling.settings_row import Setting
from core.sources.capabilities import Can
from core.sources.ngram import is_ngram
from pages.ui.i18n import example_texts
from pages.ui.i18n.translation import _
from pages.ui.server import offered_models
from pages.ui.session import operator_role, run_start, share_link, state
from pages.ui.session.run_request import Conversation, RunRequest
from pages.ui.session.sampling_controls import ENDS_GREEDY, LARGEST_SEED, PLAIN, PRESETS, START
from pages.ui.session.share_link import conversation_of, ending_of
from pages.ui.session.state import (
    Notice,
    Session,
    anchor_notices,
    current_session,
    error_boundary,
    memory,
    notify,
    session_started,
    start_session,
)

if TYPE_CHECKING:
    from core import Generation
    from core.engine.model import LanguageModel

SPEEDS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)  # steps per second in Play


def model_names() -> list[str]:
    """Return the models that this visitor can choose: bundled, added by name, published by the operator, and their own."""
    session = current_session()
    made_from = (session.draws, *session.names, *session.taught, session.link.get("model"))
    if session.model_names and session.model_names[0] == made_from:
        return session.model_names[1]
    linked = [name for name in filter(None, (session.link.get("model"),)) if is_ngram(name)]  # nothing has to be downloaded for it
    offered = [entry.name for entry in list_models()] + session.names + offered_models.names() + linked
    session.model_names = made_from, list(dict.fromkeys(offered)) + list(session.taught)
    return session.model_names[1]


def model_name() -> str:
    """Return the name of the selected model, by default the first bundled one. Raises ViewerError if there is no model."""
    names = model_names()
    if not names:
        raise ViewerError(_("There is no model on this machine. Put one into core/bundled, or open one by name."))
    asked = st.session_state.get("model") or current_session().saved_widget_values.get("model") or current_session().link.get("model")
    return asked if asked in names else names[0]


def model() -> LanguageModel:
    """Return the visitor's model, loaded once per process. Raises ViewerError."""
    return _loaded(model_name())


def _loaded(name: str) -> LanguageModel:
    own = current_session().taught.get(name)
    return own if own is not None else offered_models.loaded(name, *operator_role.access(name))


def model_named(name: str) -> LanguageModel:
    """Return one of the models that this visitor can choose, loaded once per process. Raises ViewerError."""
    if name not in model_names():
        raise ViewerError(_("There is no model on this machine. Put one into core/bundled, or open one by name."))
    return _loaded(name)


def use_model(name: str, tokenizer: str | None = None, api_key: str | None = None) -> None:
    """Load a model by name, or connect to a server by address with its tokenizer, and select it. Raises ViewerError.

    User name and password are removed from an address before it is stored or shown. A server is asked again which model it runs.
    Raises NotAllowed if this visitor may not open the model.
    """
    session = current_session()
    operator_role.require_may_use(name, model_names())
    if tokenizer is None:
        offered_models.loaded(name, *operator_role.access(name))
    else:
        name, api_key = without_secrets(name, api_key)
        opened_model = offered_models.connect(name, tokenizer, api_key)
        session.servers[name] = (tokenizer, api_key)
        if session.run is not None and session.begun_with and session.begun_with.model == name and session.run.model is not opened_model:
            session.begun_with = None  # the server runs another model now
    if name not in model_names():
        session.names.append(name)
    st.session_state["model"] = name
    if session.requested is not None and session.requested.model == name:
        _grant(session, session.requested)


def _grant(session: Session, requested: share_link.RequestedModel) -> None:
    """Apply prompt, settings and steps of the link whose model was opened. Changes that the visitor made since are lost."""
    apply_query(requested.query)
    session.begun_with, session.replay_steps, session.requested = None, requested.query.get("steps"), None


def apply_query(query: Mapping[str, str]) -> None:
    """Set the prompt and the settings to those of a link."""
    for name, row in SETTINGS.items():
        st.session_state[name] = share_link.first_value(row, query.get(name))
    st.session_state["prompt"] = query.get("prompt", example_texts.FIRST_PROMPT)[: share_link.LONGEST_PROMPT]
    st.session_state["as_chat"] = query.get("as_chat") == "true"
    current_session().set_around(conversation_of(query), ending_of(query))
    changed("coming")


def prompt() -> str:
    """Return the prompt. A prompt over the limit is cut one character above it, so that the run refuses it."""
    asked = st.session_state.get("prompt", current_session().link.get("prompt", example_texts.FIRST_PROMPT))
    return example_texts.FIRST_PROMPT if asked is None else asked[: share_link.LONGEST_PROMPT + 1]


def settings() -> SamplingSettings:
    """Return the settings for the next steps, read once per run of the script and after each action that changes one.

    A value out of range is replaced by the first value of its control.
    """
    session = current_session()
    if session.settings is None:
        session.settings = _settings(session)
    return session.settings


def _settings(session: Session) -> SamplingSettings:
    asked = map(state.effective_value, SETTINGS, repeat(session)) if session.set_values else map(st.session_state.get, SETTINGS)
    texts = tuple([None if value is None else str(value) for value in asked])
    return share_link.settings_of(texts, tuple(map(session.link.get, SETTINGS)))


def first_value(row: Setting) -> Any:
    """Return the value of a setting at the start of the session: the one of the address if it is valid, else the default."""
    return share_link.first_value(row, current_session().link.get(row.name))


def begin() -> Generation:
    """Return the visitor's run as their fields say: a new one if model or prompt have changed, with the settings of now.

    app.py calls it once per run of the script, and so does a part of a page that is drawn alone; an action that needs the run calls it
    first, because a prompt can be typed and not yet applied. Raises ViewerError if the prompt cannot be continued. The old run returns when
    its prompt is entered again.
    """
    session = current_session()
    session.settings, session.not_begun = None, None
    wanted = request()
    if session.begun_with != wanted:
        model = _loaded(wanted.model)
        with session.action_lock:
            if session.begun_with != wanted:
                run_start.begin(session, wanted, model, settings())
    if session.refusal is not None:
        raise session.refusal.with_traceback(None)
    assert session.run is not None
    run_start.notify_if_evicted(session)
    if Can.NEW_TOKENS in session.run.can:
        session.run.settings = settings()
        session.run.stop_at(session.ending.texts, session.ending.tokens)
    if session.replay_steps:
        with session.action_lock:
            run_start.follow_link(session)
    return session.run


def begin_run() -> None:
    """Begin the visitor's run before a page is drawn. What prevents it is kept for `run`, because not every page needs one."""
    try:
        begin()
    except Exception as error:  # shown by the page that reads the run
        current_session().not_begun = error


def run() -> Generation:
    """Return the visitor's run, which `begin` began. Raises what prevented it."""
    session = current_session()
    if session.refusal is not None:
        raise session.refusal.with_traceback(None)
    if session.not_begun is not None:
        raise session.not_begun  # with its traceback, for the log
    assert session.run is not None
    return session.run


def request() -> RunRequest:
    """Return what the visitor's run begins with. Raises ViewerError if there is no model."""
    chat = as_chat()
    return RunRequest(model_name(), prompt(), chat, current_session().conversation if chat else Conversation())


def as_chat() -> bool:
    """Return whether the prompt is a message of a chat: chosen by the visitor, and the model has a chat template."""
    asked = st.session_state.get("as_chat")
    return (current_session().link.get("as_chat") == "true" if asked is None else bool(asked)) and Can.CHAT in _loaded(model_name()).can


def shown(current_run: Generation | None = None) -> TokenDistribution | Step:
    """Return what the page shows: a reopened step, the newest step, or the next-token distribution. Raises ViewerError.

    current_run: `run()`, if the caller has it already.
    """
    session = current_session()
    current_run = run() if current_run is None else current_run
    path = current_run.path
    if session.selected_index is not None and session.selected_index < len(path):
        return path[session.selected_index]
    session.selected_index = None
    return path[-1] if path and (session.moment == "rolled" or current_run.finished) else current_run.next_distribution()


def changed(moment: str) -> Session:
    """Count an action of the visitor, close a reopened step and show "coming" or "rolled"."""
    session = current_session()
    session.moment, session.selected_index, session.settings = moment, None, None
    session.clicks += 1
    if session.run is not None and Can.NEW_TOKENS in session.run.can:
        session.run.settings = settings()  # a part of the page may be drawn again without the rest
    return session


@error_boundary
def step() -> None:
    """Make one step, unless the run has ended."""
    current_run = begin()
    changed("rolled")
    if not current_run.finished:
        current_run.step()


@error_boundary
def play() -> None:
    """Start Play. A replay at its end starts again from the prompt."""
    session, current_run = current_session(), begin()
    changed(session.moment)
    if Can.NEW_TOKENS not in current_run.can and current_run.finished and current_run.path:
        current_run.go_to(-1)
        session.moment = "coming"
    session.playing = current_run.finished is None


@error_boundary
def pause() -> None:
    """Stop Play."""
    current_session().playing = False


@error_boundary
def go_back() -> None:
    """Go back one step. The step stays in the tree."""
    current_run = begin()
    session = changed("rolled")
    session.playing = False
    if current_run.path:
        current_run.go_to(len(current_run.path) - 2)
    if not current_run.path:
        session.moment = "coming"


@error_boundary
def restart() -> None:
    """Go back to the prompt. All steps stay in the tree."""
    current_run = begin()
    changed("coming").playing = False
    current_run.go_to(-1)


@error_boundary
def force(token_id: int) -> None:
    """Choose this token at the step that is shown, or as the next token. Begins a new branch."""
    current_run = begin()
    seen = shown(current_run)
    if isinstance(seen, Step) and seen.key == token_id:
        return
    here = current_run.here
    current_run.go_to(seen.index - 1)
    try:
        current_run.force(token_id)
    except ViewerError:
        current_run.switch(here)  # a recording does not know this token: nothing changes
        raise
    changed("rolled").playing = False


@error_boundary
def select_step(index: int) -> None:
    """Reopen a past step of the current path."""
    session = current_session()
    if 0 <= index < len(begin().path):
        session.selected_index, session.playing = index, False
        session.clicks += 1
        session.notes.clear()


@error_boundary
def newest() -> None:
    """Show the newest step."""
    changed("rolled" if begin().path else "coming")


@error_boundary
def look_at(moment: str) -> None:
    """Show the next-token distribution ("coming") or the newest step ("rolled")."""
    changed(moment)


@error_boundary
def switch(node_id: int) -> None:
    """Go to the end of another branch."""
    current_run = begin()
    changed("rolled").playing = False
    current_run.switch(node_id)


@error_boundary
def settings_changed(key: str = "") -> None:
    """Show the effect of a changed setting on the next-token distribution. A setting without effect on greedy ends greedy."""
    saved = current_session().saved_widget_values
    if key in saved and field(key) == saved[key]:
        return  # after a change of page, Streamlit can call this for settings that did not change
    if key:
        saved[key] = field(key)
    if key in ENDS_GREEDY:
        state.set_value("greedy", False)
    changed("coming")


@error_boundary
def use_preset(name: str) -> None:
    """Apply the settings of a preset, or for another name those that the model's makers recommend."""
    apply_settings(PRESETS[name] if name in PRESETS else model().recommended or PLAIN)


@error_boundary
def reset_settings() -> None:
    """Turn all settings off, which leaves the model's own probabilities. The seed stays."""
    apply_settings(PLAIN)


def apply_settings(wanted: SamplingSettings, with_order: bool = False) -> None:
    """Set all settings but the seed, and the order if asked. For actions."""
    for name, row in SETTINGS.items():
        if name != "seed" and (with_order or name != "order"):
            state.set_value(name, row.written(getattr(wanted, name)))
    changed("coming")


def mark_moment(seen: TokenDistribution | Step) -> None:
    """Set the switch "coming / rolled" to what the page shows, before it is drawn."""
    st.session_state["moment"] = "rolled" if isinstance(seen, Step) else "coming"


@error_boundary
def moment_chosen() -> None:
    """Follow the switch "coming / rolled"."""
    look_at(st.session_state.get("moment") or current_session().moment)


def field(key: str) -> Any:
    """Return the value of a widget by its key, None if it does not exist. For callbacks."""
    return st.session_state.get(key)


def fill(field: str, text: str) -> None:
    """Write an example into a text field, by its key. For `on_click`."""
    st.session_state[field] = text


@error_boundary
def use_prompt(text: str) -> None:
    """Begin a run with this prompt. The old run is saved for undo."""
    session = changed("coming")
    session.playing, session.begun_with = False, None
    session.save_run()
    session.set_around(Conversation(), session.ending)
    st.session_state["prompt"] = text


@error_boundary
def close_recording() -> None:
    """Return from a recording to the visitor's own text. The recording is saved for undo."""
    session = changed("coming")
    session.playing, session.begun_with = False, None
    session.save_run()


@error_boundary
def new_dice() -> None:
    """Go back to the prompt with another seed. All steps stay in the tree."""
    changed("coming").playing = False
    st.session_state["seed"] = randbelow(LARGEST_SEED + 1)
    begin().go_to(-1)


def selected_index() -> int | None:
    """Return the index of the reopened step, None if the newest is shown."""
    return current_session().selected_index


def notices(place: str = "") -> tuple[Notice, ...]:
    """Return the notices of this place (see `Notice`). Adds the eviction notice of the run's model, unless another model is selected."""
    session = current_session()
    if session.begun_with is not None and session.begun_with.model == model_name():
        run_start.notify_if_evicted(session)
    return tuple(note for note in session.notes if note.place == place)


def refused() -> bool:
    """Return whether the prompt was refused."""
    return current_session().refusal is not None


def clicks() -> int:
    """Return the number of the visitor's actions. Distinguishes two clicks on the same bar."""
    return current_session().clicks


def playing() -> bool:
    """Return whether Play is on."""
    return current_session().playing


__all__ = [
    "START", "Session", "anchor_notices", "current_session", "error_boundary", "memory", "notices", "notify", "refused",
    "session_started", "start_session",
]  # fmt: skip
