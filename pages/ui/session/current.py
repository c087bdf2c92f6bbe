"""What is current for the visitor: model, prompt, settings, run, and the step that is shown.

A page reads `model()`, `run()`, `settings()` and `shown()`. What its buttons do is in `player_actions` and `sampler_actions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import streamlit as st

from core import SamplingSettings, list_models
from core.errors import ViewerError
from core.record.step import Step, TokenDistribution
from core.remote.address import without_secrets
from core.reports.live_view import texts
from core.sampling.settings import SETTINGS
from core.sampling.settings_row import Setting
from core.sources.capabilities import Can
from core.sources.ngram import is_ngram
from pages.ui.i18n import example_texts
from pages.ui.i18n.translation import _
from pages.ui.server import offered_models
from pages.ui.session import link_replay, operator_role, run_start, share_link
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.run_request import Conversation, RunRequest
from pages.ui.session.share_link import conversation_of, ending_of
from pages.ui.session.state import Notice, Session, current_session, field_value, field_values, set_field

if TYPE_CHECKING:
    from core import Generation
    from core.engine.model import LanguageModel

SPEEDS = tuple(filter(None, texts.SPEEDS))  # of Play, without "as fast as it goes"


def model_names() -> list[str]:
    """Return the models that this visitor can choose: bundled, added by name, published by the operator, and their own."""
    session = current_session()
    made_from = (session.page.draws, *session.models.names, *session.models.taught, session.link.query.get("model"))
    if session.models.listed and session.models.listed[0] == made_from:
        return session.models.listed[1]
    linked = [name for name in filter(None, (session.link.query.get("model"),)) if is_ngram(name)]  # nothing has to be downloaded for it
    offered = [entry.name for entry in list_models()] + session.models.names + offered_models.names() + linked
    session.models.listed = made_from, list(dict.fromkeys(offered)) + list(session.models.taught)
    return session.models.listed[1]


def model_name() -> str:
    """Return the name of the selected model, by default the first bundled one. Raises ViewerError if there is no model."""
    names = model_names()
    if not names:
        raise ViewerError(_("There is no model on this machine. Put one into core/bundled, or open one by name."))
    asked = field_value("model") or current_session().fields.saved.get("model") or current_session().link.query.get("model")
    return asked if asked in names else names[0]


def model() -> LanguageModel:
    """Return the visitor's model, loaded once per process. Raises ViewerError."""
    return _loaded(model_name())


def _loaded(name: str) -> LanguageModel:
    taught = current_session().models.taught.get(name)
    return taught if taught is not None else offered_models.loaded(name, *operator_role.access(name))


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
        session.models.servers[name] = (tokenizer, api_key)
        if session.run is not None and session.begun.asked and session.begun.asked.model == name and session.run.model is not opened_model:
            session.begun.asked = None  # the server runs another model now
    if name not in model_names():
        session.models.names.append(name)
    set_field("model", name)
    if session.link.requested is not None and session.link.requested.model == name:
        _grant(session, session.link.requested)


def _grant(session: Session, requested: share_link.RequestedModel) -> None:
    """Apply prompt, settings and steps of the link whose model was opened. Changes that the visitor made since are lost."""
    apply_query(requested.query)
    session.begun.asked, session.link.steps, session.link.requested = None, requested.query.get("steps"), None


def apply_query(query: Mapping[str, str]) -> None:
    """Set the prompt and the settings to those of a link."""
    for name, row in SETTINGS.items():
        set_field(name, share_link.first_value(row, query.get(name)))
    set_field("prompt", query.get("prompt", example_texts.FIRST_PROMPT)[: share_link.LONGEST_PROMPT + 1])  # one more is refused
    set_field("as_chat", query.get("as_chat") == "true")
    current_session().around.set(conversation_of(query), ending_of(query))
    changed("coming")


def prompt() -> str:
    """Return the prompt. A prompt over the limit is cut one character above it, so that the run refuses it."""
    asked = field_value("prompt")
    if asked is None:
        asked = current_session().link.query.get("prompt")
    return example_texts.FIRST_PROMPT if asked is None else asked[: share_link.LONGEST_PROMPT + 1]


def settings() -> SamplingSettings:
    """Return the settings for the next steps, read once per run of the script and after each action that changes one.

    A value out of range is replaced by the first value of its control.
    """
    session = current_session()
    if session.fields.settings is None:
        session.fields.settings = _settings(session)
    return session.fields.settings


def _settings(session: Session) -> SamplingSettings:
    asked = field_values(SETTINGS)
    texts = tuple([None if value is None else str(value) for value in asked])
    return share_link.settings_of(texts, tuple(map(session.link.query.get, SETTINGS)))


def first_value(row: Setting) -> Any:
    """Return the value of a setting at the start of the session: the one of the address if it is valid, else the default."""
    return share_link.first_value(row, current_session().link.query.get(row.name))


def begin() -> Generation:
    """Return the visitor's run as their fields say: a new one if model or prompt have changed, with the settings of now.

    `begin_run` calls it once per run of the script, and so does a part of a page that is drawn alone; an action that needs the run calls it
    first, because a prompt can be typed and not yet applied. Raises ViewerError if the prompt cannot be continued. The old run returns when
    its prompt is entered again.
    """
    session = current_session()
    session.fields.settings, session.begun.failure = None, None
    wanted = request()
    if session.begun.asked != wanted:
        _loaded(wanted.model)  # a run of the page does not hold the lock meanwhile, because it can take a while; a press does
        with session.action_lock:
            wanted = request()  # a route may have changed the prompt meanwhile
            if session.begun.asked != wanted:
                run_start.begin(session, wanted, _loaded(wanted.model), settings())
    if session.begun.refusal is not None:
        raise session.begun.refusal.with_traceback(None)
    assert session.run is not None
    run_start.notify_if_evicted(session)
    if Can.NEW_TOKENS in session.run.can:
        if session.run.settings != settings():
            with session.action_lock:
                session.run.settings = settings()
                session.live.changed()
        session.run.stop_at(**session.around.ending.arguments)
    if session.link.steps:
        with session.action_lock:
            link_replay.follow_link(session)
    return session.run


def begin_run() -> None:
    """Begin the visitor's run before a page is drawn. What prevents it is stored for `run`, because not every page needs one."""
    try:
        begin()
    except Exception as error:  # shown by the page that reads the run
        current_session().begun.failure = error


def run() -> Generation:
    """Return the visitor's run, which `begin` began. Raises what prevented it."""
    session = current_session()
    if session.begun.refusal is not None:
        raise session.begun.refusal.with_traceback(None)
    if session.begun.failure is not None:
        raise session.begun.failure  # with its traceback, for the log
    assert session.run is not None
    return session.run


def request() -> RunRequest:
    """Return what the visitor's run begins with. Raises ViewerError if there is no model."""
    chat = as_chat()
    return RunRequest(model_name(), prompt(), chat, current_session().around.conversation if chat else Conversation())


def as_chat() -> bool:
    """Return whether the prompt is a message of a chat: chosen by the visitor, and the model has a chat template."""
    asked = field_value("as_chat")
    chosen = current_session().link.query.get("as_chat") == "true" if asked is None else asked
    return bool(chosen) and Can.CHAT in _loaded(model_name()).can


def shown(current_run: Generation | None = None) -> TokenDistribution | Step:
    """Return what the page shows: a reopened step, the newest step, or the next-token distribution. Raises ViewerError.

    current_run: `run()`, if the caller has it already.
    """
    player = current_session().player
    current_run = run() if current_run is None else current_run
    path = current_run.path
    if player.selected_index is not None and player.selected_index < len(path):
        return path[player.selected_index]
    player.selected_index = None
    return path[-1] if path and (player.moment == "rolled" or current_run.finished) else current_run.next_distribution()


def changed(moment: str) -> Session:
    """Count an action of the visitor, close a reopened step and show "coming" or "rolled"."""
    session = current_session()
    session.player.moment, session.player.selected_index, session.fields.settings = moment, None, None
    session.player.clicks += 1
    if session.run is not None and Can.NEW_TOKENS in session.run.can:
        session.run.settings = settings()  # a part of the page may be drawn again without the rest
    return session


def field(key: str) -> Any:
    """Return the value of a widget by its key, None if it does not exist. For callbacks."""
    return st.session_state.get(key)


def fill(field: str, text: str) -> None:
    """Write an example into a text field, by its key. For `on_click`."""
    st.session_state[field] = text


@action_boundary
def use_prompt(text: str) -> None:
    """Begin a run with this prompt. The old run is saved for undo."""
    session = changed("coming")
    session.player.playing, session.begun.asked = False, None
    session.save_run()
    session.around.set(Conversation(), session.around.ending)
    set_field("prompt", text)


@action_boundary
def close_recording() -> None:
    """Return from a recording to the visitor's own text. The recording is saved for undo."""
    session = changed("coming")
    session.player.playing, session.begun.asked = False, None
    session.save_run()


def selected_index() -> int | None:
    """Return the index of the reopened step, None if the newest is shown."""
    return current_session().player.selected_index


def notices(place: str = "") -> tuple[Notice, ...]:
    """Return the notices of this place (see `Notice`). Adds the eviction notice of the run's model, unless another model is selected."""
    session = current_session()
    if session.begun.asked is not None and session.begun.asked.model == model_name():
        run_start.notify_if_evicted(session)
    return tuple(note for note in session.notices.latest if note.place == place)


def count_click() -> None:
    """Count an action of the visitor that changes nothing of the run."""
    current_session().player.clicks += 1


def clicks() -> int:
    """Return the number of the visitor's actions. Distinguishes two clicks on the same bar."""
    return current_session().player.clicks


def live_key() -> str:
    """Return the key with which the visitor's live view opens the routes of the run."""
    return current_session().live.key


def storage_key() -> str:
    """Return the name under which the visitor's browser stores texts of this session."""
    return current_session().browser.name


def playing() -> bool:
    """Return whether Play is on."""
    return current_session().player.playing
