"""Current session, read and changed: which model, which run, which settings, which moment; with `state`, all of `st.session_state`.

A page reads `model()`, `run()`, `settings()`, `shown()` and hands the verbs (`step`, `force`, `go_back`, ...) to its widgets as callbacks.
Every verb is calm: what goes wrong becomes one sentence (`notices()`), gone at the next action, and what the visitor made stays.
"""

from __future__ import annotations

from collections.abc import Mapping
from secrets import randbelow
from typing import TYPE_CHECKING, Any

import streamlit as st

from core import SamplingSettings, list_models
from core.errors import ViewerError
from core.language import _
from core.record.step import Step, TokenDistribution
from core.remote.address import without_secrets
from pages.ui.i18n import example_texts
from pages.ui.server import loaded_models, published_models
from pages.ui.session import effective_value, eviction_notice, replay_steps, roles, run_start, share_link
from pages.ui.session.sampling_controls import CONTROLS, LARGEST_SEED, PLAIN, PRESETS, START, Control
from pages.ui.session.state import (
    Notice,
    Session,
    admit,
    anchor_notices,
    current_session,
    error_boundary,
    notify,
    results,
    session_started,
    start_session,
)

if TYPE_CHECKING:
    from core import Generation
    from core.engine.model import LanguageModel
    from core.generation.replay import Replay

SPEEDS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)  # steps a second that Play can make


def model_names() -> list[str]:
    """The models this visitor can choose from: the bundled ones, those added by name, those that the operator offers to all."""
    known = [entry.name for entry in list_models()] + current_session().names + published_models.names()
    return list(dict.fromkeys(known)) + list(current_session().taught)


def model_name() -> str:
    """The model that is asked for; the first bundled one if nothing is."""
    names = model_names()
    if not names:
        raise ViewerError(_("There is no model here yet. Put one under core/bundled, or choose one by name."))
    asked = st.session_state.get("model") or current_session().saved_widget_values.get("model") or current_session().link.get("model")
    return asked if asked in names else names[0]


def model() -> LanguageModel:
    """The visitor's model, loaded once per process. Raises ViewerError."""
    return _loaded(model_name())


def _loaded(name: str) -> LanguageModel:
    own = current_session().taught.get(name)
    return own if own is not None else loaded_models.loaded(name, *roles.access(name))


def model_named(name: str) -> LanguageModel:
    """Another model of those this visitor can choose from, loaded once per process. Raises ViewerError."""
    if name not in model_names():
        raise ViewerError(_("There is no model here yet. Put one under core/bundled, or choose one by name."))
    return _loaded(name)


def use_model(name: str, tokenizer: str | None = None, api_key: str | None = None) -> None:
    """Load a model by name (or the address of a server, with its tokenizer) and begin again with it. Raises ViewerError.

    A name and a password in an address are taken out of it before anything keeps or shows it. A server is asked anew what it runs.
    Raises NotAllowed for a visitor who asks for anything but what is offered.
    """
    session = current_session()
    roles.require_may_use(name, model_names())
    if tokenizer is None:
        loaded_models.loaded(name, *roles.access(name))
    else:
        name, api_key = without_secrets(name, api_key)
        made = loaded_models.connect(name, tokenizer, api_key)
        session.servers[name] = (tokenizer, api_key)
        if session.run is not None and session.begun_with and session.begun_with[0] == name and session.run.model is not made:
            session.begun_with = None  # the address leads to another model now
    if name not in model_names():
        session.names.append(name)
    st.session_state["model"] = name
    if session.requested is not None and session.requested.model == name:
        _grant(session, session.requested)


def _grant(session: Session, requested: share_link.RequestedModel) -> None:
    """The model of a link is open: the rest of the link as it was sent, whatever was turned since."""
    apply_query(requested.query)
    session.begun_with, session.replay_steps, session.requested = None, requested.query.get("steps"), None


def apply_query(query: Mapping[str, str]) -> None:
    """Prompt and settings as an address has them."""
    for control in CONTROLS:
        value = share_link.value_of(control, query[control.key]) if control.key in query else None
        st.session_state[control.key] = control.start if value is None else value
    st.session_state["prompt"] = query.get("prompt", example_texts.FIRST_PROMPT)[: share_link.LONGEST_PROMPT]
    st.session_state["as_chat"] = query.get("as_chat") == "true"
    changed("coming")


def prompt() -> str:
    """The text to go on from; of one that is too long, so much that it still is."""
    asked = st.session_state.get("prompt", current_session().link.get("prompt", example_texts.FIRST_PROMPT))
    return example_texts.FIRST_PROMPT if asked is None else asked[: share_link.LONGEST_PROMPT + 1]


def settings() -> SamplingSettings:
    """The settings for the coming steps, each within its range whatever the browser sent."""
    values: dict[str, Any] = {}
    for control in CONTROLS:
        asked = effective_value.effective(control.key)
        value = None if asked is None else share_link.value_of(control, str(asked))
        values[control.key] = first_value(control) if value is None else value
    return SamplingSettings(**values)


def first_value(control: Control) -> Any:
    """Where a setting stands when the session begins: as its address asks, if that is possible."""
    asked = current_session().link.get(control.key)
    value = None if asked is None else share_link.value_of(control, asked)
    return control.start if value is None else value


def run() -> Generation | Replay:
    """The visitor's run, begun anew when model or prompt have changed.

    Raises ViewerError where the text that is asked for cannot be written on from; the run that was there comes back with its own prompt.
    """
    session = current_session()
    wanted = (model_name(), prompt(), as_chat())
    if session.begun_with != wanted:
        model = _loaded(wanted[0])
        with session.action_lock:
            if session.begun_with != wanted:
                run_start.begin(session, wanted, model, settings())
    if session.refusal is not None:
        raise session.refusal.with_traceback(None)
    assert session.run is not None
    eviction_notice.notify_if_evicted(session)
    if not session.run.is_replay:
        session.run.settings = settings()
    if session.replay_steps:
        with session.action_lock:
            replay_steps.follow(session)
    return session.run


def as_chat() -> bool:
    """Whether the prompt is a turn of a conversation: asked for, and the model is a chat model."""
    asked = st.session_state.get("as_chat")
    return (current_session().link.get("as_chat") == "true" if asked is None else bool(asked)) and _loaded(model_name()).has_chat_template


def shown(made: Generation | Replay | None = None) -> TokenDistribution | Step:
    """What the page looks at now: the step that was reopened, the one just rolled, or the odds of the coming one. Raises ViewerError.

    made: `run()`, where it was asked for already.
    """
    session = current_session()
    made = run() if made is None else made
    path = made.path
    if session.selected_index is not None and session.selected_index < len(path):
        return path[session.selected_index]
    session.selected_index = None
    return path[-1] if path and (session.moment == "rolled" or made.finished) else made.next_distribution()


def changed(moment: str) -> Session:
    """The visitor did something: look at this moment, and let go of what was reopened."""
    session = current_session()
    session.moment, session.selected_index = moment, None
    session.clicks += 1
    return session


@error_boundary
def step() -> None:
    """One more token; at the end of a run there is none, and the page says why."""
    changed("rolled")
    made = run()
    if not made.finished:
        made.step()


@error_boundary
def play() -> None:
    """Let the text write itself."""
    session, made = current_session(), run()
    changed(session.moment)
    if made.is_replay and made.finished and made.path:  # at its end there is nothing to play but the whole of it
        made.go_to(-1)
        session.moment = "coming"
    session.playing = made.finished is None


@error_boundary
def pause() -> None:
    """Stop writing."""
    current_session().playing = False


@error_boundary
def go_back() -> None:
    """Take the last token back; it stays in the tree."""
    made = run()
    session = changed("rolled")
    session.playing = False
    if made.path:
        made.go_to(len(made.path) - 2)
    if not made.path:
        session.moment = "coming"


@error_boundary
def restart() -> None:
    """Back to the prompt; what was written stays in the tree."""
    changed("coming").playing = False
    run().go_to(-1)


@error_boundary
def force(token_id: int) -> None:
    """Take this token in place of the one looked at (or of the coming one): a new branch."""
    seen, made = shown(), run()
    if isinstance(seen, Step) and seen.token_id == token_id:
        return
    changed("rolled").playing = False
    made.go_to(seen.index - 1)
    made.force(token_id)


@error_boundary
def select_step(index: int) -> None:
    """Look at a past step of this path again."""
    session = current_session()
    if 0 <= index < len(run().path):
        session.selected_index, session.playing = index, False
        session.clicks += 1
        session.notes.clear()


@error_boundary
def newest() -> None:
    """Look at the newest step again."""
    changed("rolled" if run().path else "coming")


@error_boundary
def look_at(moment: str) -> None:
    """Choose between "coming" and "rolled"."""
    session = current_session()
    session.moment, session.selected_index = moment, None
    session.clicks += 1


@error_boundary
def switch(node_id: int) -> None:
    """Go to the end of another branch."""
    changed("rolled").playing = False
    run().switch(node_id)


@error_boundary
def settings_changed() -> None:
    """A slider was moved: show at once what it does to the coming odds."""
    changed("coming")


@error_boundary
def use_preset(name: str) -> None:
    """Take over the settings of this preset."""
    _apply(PRESETS[name])


@error_boundary
def reset_settings() -> None:
    """Switch every setting off: the model's own odds. The seed stays."""
    _apply(PLAIN)


def _apply(wanted: SamplingSettings) -> None:
    for key, value in wanted.as_dict().items():
        if key != "seed":
            effective_value.set_value(key, value)
    changed("coming")


def mark_moment(seen: TokenDistribution | Step) -> None:
    """Before the switch of the moments is drawn: set it to what is looked at."""
    st.session_state["moment"] = "rolled" if isinstance(seen, Step) else "coming"


@error_boundary
def moment_chosen() -> None:
    """The switch of the moments was used."""
    look_at(st.session_state.get("moment") or current_session().moment)


def field(key: str) -> Any:
    """What stands in a field of a page now, by its key; None if there is no such field. For callbacks."""
    return st.session_state.get(key)


def fill(field: str, text: str) -> None:
    """Put an example into a field of a page, by the field's key. For `on_click`."""
    st.session_state[field] = text


@error_boundary
def use_prompt(text: str) -> None:
    """Begin with this text."""
    session = changed("coming")
    session.playing = False
    session.save_run()
    st.session_state["prompt"] = text
    session.begun_with = None


@error_boundary
def new_dice() -> None:
    """Back to the prompt with another seed: the same odds, another text. What was written stays in the tree."""
    changed("coming").playing = False
    st.session_state["seed"] = randbelow(LARGEST_SEED + 1)
    run().go_to(-1)


@error_boundary
def bar_clicked() -> None:
    """A bar of the odds was clicked: take that token."""
    picked = (st.session_state.get("odds") or {}).get("selection", {}).get("pick") or []
    entry = picked[0] if picked else {}
    token_id, index = entry.get("token_id"), entry.get("step")
    if not isinstance(token_id, int) or token_id < 0:
        return
    if index != shown().index:
        notify(_("That bar belongs to a moment that has passed; click it again."))
        return
    force(token_id)


@error_boundary
def word_clicked() -> None:
    """A word of the text was clicked: reopen its step."""
    index = getattr(st.session_state.get("strip"), "opened", None)
    if isinstance(index, int):
        select_step(index)


def selected_index() -> int | None:
    """The past step that is looked at again, if any."""
    return current_session().selected_index


def notices(place: str = "") -> tuple[Notice, ...]:
    """What there is to tell in this place; at the head also that the model of the run was unloaded, unless another was just chosen."""
    session = current_session()
    if session.begun_with is not None and session.begun_with[0] == model_name():
        eviction_notice.notify_if_evicted(session)
    return tuple(note for note in session.notes if note.place == place)


def refused() -> bool:
    """Whether the text that is asked for cannot be written on from."""
    return current_session().refusal is not None


def clicks() -> int:
    """How often the visitor has done something; tells one click on a bar from the next on the same bar."""
    return current_session().clicks


def playing() -> bool:
    """Whether the text writes itself now."""
    return current_session().playing


__all__ = [
    "START", "Session", "admit", "anchor_notices", "current_session", "error_boundary", "notices", "notify", "refused", "results",
    "session_started", "start_session",
]  # fmt: skip
