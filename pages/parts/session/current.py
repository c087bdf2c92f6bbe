"""The visitor: which model, which run, which settings, which moment. With `visitor`, the only room that touches `st.session_state`.

A page reads `model()`, `run()`, `settings()`, `shown()` and hands the verbs (`step`, `force`, `go_back`, ...) to its widgets as callbacks.
Every verb is calm: what goes wrong becomes one sentence (`sentences()`), and what the visitor made stays.
"""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

import streamlit as st

from core import SamplingSettings, list_models
from core.errors import BadRecording, ViewerError
from core.limits import Limits
from core.record.step import Odds, Step
from pages.parts.runtime import loaded_models
from pages.parts.session import eviction_notice, replay_steps, share_link
from pages.parts.session.sampling_controls import CONTROLS, PLAIN, PRESETS, START, preset_of
from pages.parts.session.state import Visitor, admitted, calmly, enter, entered, here, kept, say
from pages.parts.text import numbers, words

if TYPE_CHECKING:
    from core import Generation
    from core.engine.model import LanguageModel
    from core.generation.replay import Replay

LISTED = 50  # candidates kept at every step; the page shows 5 to 50 of them
LARGEST_UPLOAD = Limits.from_environment().upload_megabytes or 64  # a text of 8,192 tokens is recorded in 30 to 50
_READING = Lock()
SPEEDS = (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)  # steps a second that Play can make


def model_names() -> list[str]:
    """The models this visitor can choose from: the bundled ones and those added by name."""
    return [entry.name for entry in list_models()] + here().names


def model_name() -> str:
    """The model that is asked for; the first bundled one if nothing is."""
    names = model_names()
    if not names:
        raise ViewerError(words.NO_MODEL)
    asked = st.session_state.get("model") or st.query_params.get("model")
    return asked if asked in names else names[0]


def model() -> LanguageModel:
    """The visitor's model, loaded once per process. Raises ViewerError."""
    return _loaded(model_name())


def _loaded(name: str) -> LanguageModel:
    return loaded_models.loaded(name, *here().servers.get(name, (None, None)))


def model_named(name: str) -> LanguageModel:
    """Another model of those this visitor can choose from, loaded once per process. Raises ViewerError."""
    if name not in model_names():
        raise ViewerError(words.NO_MODEL)
    return _loaded(name)


def use_model(name: str, tokenizer: str | None = None, api_key: str | None = None) -> None:
    """Load a model by name (or the address of a server, with its tokenizer) and begin again with it. Raises ViewerError."""
    loaded_models.loaded(name, tokenizer, api_key)
    if tokenizer is not None:
        here().servers[name] = (tokenizer, api_key)
    visitor = here()
    if name not in model_names():
        visitor.names.append(name)
    st.session_state["model"] = name
    if visitor.wish is not None and visitor.wish.model == name:
        _grant(visitor, visitor.wish)


def _grant(visitor: Visitor, wish: share_link.Wish) -> None:
    """The model of a link is open: the rest of the link as it was sent, whatever was turned since."""
    for control in CONTROLS:
        value = share_link.value_of(control, wish.query[control.key]) if control.key in wish.query else None
        st.session_state[control.key] = control.start if value is None else value
    st.session_state["prompt"] = wish.query.get("prompt", words.FIRST_PROMPT)[: share_link.LONGEST_PROMPT]
    st.session_state["as_chat"] = wish.query.get("as_chat") == "true"
    _changed("coming")
    visitor.begun, visitor.way, visitor.wish = None, wish.query.get("steps"), None


def prompt() -> str:
    """The text to go on from."""
    asked = st.session_state.get("prompt", st.query_params.get("prompt", words.FIRST_PROMPT))
    return words.FIRST_PROMPT if asked is None else asked[: share_link.LONGEST_PROMPT]


def settings() -> SamplingSettings:
    """The settings for the coming steps, each within its range whatever the browser sent."""
    values: dict[str, Any] = {}
    for control in CONTROLS:
        asked = st.session_state.get(control.key)
        if asked is None:
            asked = st.query_params.get(control.key)
        value = None if asked is None else share_link.value_of(control, str(asked))
        values[control.key] = control.start if value is None else value
    return SamplingSettings(**values)


def run() -> Generation | Replay:
    """The visitor's run, begun anew when model or prompt have changed. Raises ViewerError only if there is none to fall back on."""
    visitor = here()
    wanted = (model_name(), prompt(), as_chat())
    if visitor.begun != wanted:
        visitor.begun = wanted
        _begin(visitor, wanted)
    if visitor.run is None:
        eviction_notice.hold(visitor, _generation(wanted[0], words.FIRST_PROMPT, False))
        assert visitor.run is not None
    eviction_notice.notice(visitor)
    if not visitor.run.is_replay:
        visitor.run.settings = settings()
    if visitor.way and not visitor.refusal:
        replay_steps.follow(visitor)
    return visitor.run


def as_chat() -> bool:
    """Whether the prompt is a turn of a conversation: asked for, and the model is a chat model."""
    asked = st.session_state.get("as_chat")
    return (st.query_params.get("as_chat") == "true" if asked is None else bool(asked)) and _loaded(model_name()).speaks_in_turns


def _generation(name: str, text: str, chat: bool) -> Generation:
    from core import Generation

    model = _loaded(name)
    loaded_models.wake(model)
    return Generation(model, text, settings(), top_n=LISTED, as_chat=chat)


def _begin(visitor: Visitor, wanted: tuple[str, str, bool]) -> None:
    try:
        fresh = _generation(*wanted)
    except ViewerError as error:
        visitor.refusal = str(error)
        visitor.playing = False
        return
    _replace_run(visitor, fresh)


def _replace_run(visitor: Visitor, fresh: Generation | Replay) -> None:
    if visitor.run is not None and not visitor.run.is_replay:
        visitor.run.release()
    visitor.refusal = None
    eviction_notice.hold(visitor, fresh)
    visitor.moment, visitor.opened, visitor.playing = "coming", None, False
    visitor.clicks += 1


def shown(made: Generation | Replay | None = None) -> Odds | Step:
    """What the page looks at now: the step that was reopened, the one just rolled, or the odds of the coming one. Raises ViewerError.

    made: `run()`, where it was asked for already.
    """
    visitor = here()
    made = run() if made is None else made
    path = made.path
    if visitor.opened is not None and visitor.opened < len(path):
        return path[visitor.opened]
    visitor.opened = None
    return path[-1] if path and (visitor.moment == "rolled" or made.finished) else made.coming()


def _changed(moment: str) -> Visitor:
    """The visitor did something: look at this moment, and let go of what was reopened."""
    visitor = here()
    visitor.moment, visitor.opened = moment, None
    visitor.clicks += 1
    visitor.notes.clear()
    st.query_params.pop("steps", None)
    return visitor


@calmly
def step() -> None:
    """One more token."""
    _changed("rolled")
    run().step()


@calmly
def play() -> None:
    """Let the text write itself."""
    visitor = here()
    _changed(visitor.moment)
    visitor.playing = run().finished is None


@calmly
def pause() -> None:
    """Stop writing."""
    here().playing = False


@calmly
def go_back() -> None:
    """Take the last token back; it stays in the tree."""
    made = run()
    visitor = _changed("rolled")
    visitor.playing = False
    if made.path:
        made.go_to(len(made.path) - 2)
    if not made.path:
        visitor.moment = "coming"


@calmly
def restart() -> None:
    """Back to the prompt; what was written stays in the tree."""
    _changed("coming").playing = False
    run().go_to(-1)


@calmly
def force(token_id: int) -> None:
    """Take this token in place of the one looked at (or of the coming one): a new branch."""
    seen, made = shown(), run()
    if isinstance(seen, Step) and seen.token_id == token_id:
        return
    _changed("rolled").playing = False
    made.go_to(seen.index - 1)
    made.force(token_id)


@calmly
def reopen(index: int) -> None:
    """Look at a past step of this path again."""
    visitor = here()
    if 0 <= index < len(run().path):
        visitor.opened, visitor.playing = index, False
        visitor.clicks += 1
        visitor.notes.clear()


@calmly
def newest() -> None:
    """Look at the newest step again."""
    _changed("rolled" if run().path else "coming")


@calmly
def look_at(moment: str) -> None:
    """Choose between "coming" and "rolled"."""
    visitor = here()
    visitor.moment, visitor.opened = moment, None
    visitor.clicks += 1


@calmly
def switch(node_id: int) -> None:
    """Go to the end of another branch."""
    _changed("rolled").playing = False
    run().switch(node_id)


@calmly
def settings_changed() -> None:
    """A slider was moved: show at once what it does to the coming odds."""
    _changed("coming")


@calmly
def use_preset() -> None:
    """Take over the settings of the preset that was chosen."""
    _apply(PRESETS.get(st.session_state.get("preset") or "", settings()))


@calmly
def reset_settings() -> None:
    """Switch every setting off: the model's own odds. The seed stays."""
    _apply(PLAIN)


def _apply(wanted: SamplingSettings) -> None:
    for key, value in wanted.as_dict().items():
        if key != "seed":
            st.session_state[key] = value
    _changed("coming")


def mark_preset() -> None:
    """Before the presets are drawn: mark the one that the settings are, if any."""
    st.session_state["preset"] = preset_of(settings())


def mark_moment(seen: Odds | Step) -> None:
    """Before the switch of the moments is drawn: set it to what is looked at."""
    st.session_state["moment"] = "rolled" if isinstance(seen, Step) else "coming"


@calmly
def moment_chosen() -> None:
    """The switch of the moments was used."""
    look_at(st.session_state.get("moment") or here().moment)


def fill(field: str, text: str) -> None:
    """Put an example into a field of a page, by the field's key. For `on_click`."""
    st.session_state[field] = text


@calmly
def use_prompt(text: str) -> None:
    """Begin with this text."""
    st.session_state["prompt"] = text
    _changed("coming").playing = False
    here().begun = None


@calmly
def bar_clicked() -> None:
    """A bar of the odds was clicked: take that token."""
    picked = (st.session_state.get("odds") or {}).get("selection", {}).get("pick") or []
    entry = picked[0] if picked else {}
    token_id, index = entry.get("token_id"), entry.get("step")
    if not isinstance(token_id, int) or token_id < 0:
        return
    if index != shown().index:
        say(words.FORCED_ELSEWHERE)
        return
    force(token_id)


@calmly
def word_clicked() -> None:
    """A word of the text was clicked: reopen its step."""
    index = getattr(st.session_state.get("strip"), "opened", None)
    if isinstance(index, int):
        reopen(index)


@calmly
def recording_uploaded() -> None:
    """Replay the file that was given."""
    from core import Recording

    file = st.session_state.get("recording")
    if file is None:
        return
    if file.size > LARGEST_UPLOAD * 1_000_000:
        raise BadRecording(words.UPLOAD_TOO_LARGE.format(limit=numbers.size(LARGEST_UPLOAD * 1_000_000)))
    visitor = here()
    with _READING:  # it takes several times the file's size in memory
        replay = Recording.loads(file.getvalue()).replay()
    visitor.begun = (model_name(), prompt(), as_chat())
    _replace_run(visitor, replay)


def opened() -> int | None:
    """The past step that is looked at again, if any."""
    return here().opened


def sentences() -> list[str]:
    """What there is to tell; also that the model of the run was put away meanwhile, unless the visitor has just chosen another."""
    visitor = here()
    if visitor.begun is not None and visitor.begun[0] == model_name():
        eviction_notice.notice(visitor)
    return visitor.sentences()


def clicks() -> int:
    """How often the visitor has done something; tells one click on a bar from the next on the same bar."""
    return here().clicks


def playing() -> bool:
    """Whether the text writes itself now."""
    return here().playing


def link_query() -> tuple[str, bool]:
    """What stands behind the question mark of this run's link, and whether it reproduces the text exactly."""
    made, visitor = run(), here()
    path = made.path
    used = path[0].settings if path else settings()
    exact = all(step.settings == used for step in path)
    asked = visitor.begun[0] if visitor.begun and not made.is_replay and not visitor.refusal else made.model_name
    name = share_link.server_address(asked) if asked in visitor.servers else made.model_name
    return share_link.query(made.prompt, name, used, path, words.FIRST_PROMPT, made.as_chat), exact


__all__ = ["LARGEST_UPLOAD", "START", "Visitor", "admitted", "calmly", "enter", "entered", "here", "kept", "say", "sentences"]
