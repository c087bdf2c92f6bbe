"""Sharing of the current run: what its link and the browser's address hold, and a recording or a kept text opened again."""

from __future__ import annotations

from threading import Lock

import streamlit as st

from core.errors import BadRecording
from core.limits import Limits
from pages.parts.session import current, run_start, share_link
from pages.parts.session.state import at, current_session, error_boundary, notify
from pages.parts.text import numbers, words

# Of a recording, in megabytes; a text of 8,192 tokens is recorded in 30 to 50. The server lets no more in, whatever a widget promises.
LARGEST_UPLOAD = min(Limits.from_environment().upload_megabytes or 64, int(st.get_option("server.maxUploadSize")))
_READING = Lock()


@error_boundary
def recording_uploaded() -> None:
    """Replay the file that was given."""
    from core import Recording

    at("recording")
    file = st.session_state.get("recording")
    if file is None:
        return
    session = current.changed("coming")
    if file.size > LARGEST_UPLOAD * 2**20:
        raise BadRecording(words.UPLOAD_TOO_LARGE.format(limit=numbers.size(LARGEST_UPLOAD * 2**20)))
    with _READING:  # it takes several times the file's size in memory
        recording = Recording.loads(file.getvalue())
    if len(recording.tree.nodes) == 1:
        raise BadRecording(words.EMPTY_RECORDING)
    replay = recording.replay()
    for _ in recording.path:  # it opens as it was kept, with its text; Restart and Play show how it came about
        replay.step()
    run_start.replace(session, replay, (current.model_name(), current.prompt(), current.as_chat()))
    session.moment = "rolled" if replay.path else "coming"


def link_query() -> tuple[str, bool]:
    """What stands behind the question mark of this run's link, and whether it reproduces the text exactly."""
    made, session = current.run(), current_session()
    path = made.path
    asked = session.begun_with[0] if session.begun_with and not made.is_replay and not session.refusal else made.model_name
    name = share_link.server_address(asked) if asked in session.servers else made.model_name
    query = share_link.query(made.prompt, name, current.settings(), path, words.FIRST_PROMPT, made.as_chat)
    return query, not made.is_replay and len(path) <= share_link.MOST_STEPS


def address_query() -> str:
    """What the browser's address is to hold: prompt, model, settings and steps as they are now. The usual model is left out."""
    session, made = current_session(), current_session().run
    names = current.model_names()
    name = current.model_name() if names else ""
    written = share_link.server_address(name) if name in session.servers else name
    live = (
        made is not None
        and not made.is_replay
        and session.begun_with == (name, current.prompt(), current.as_chat())
        and not session.refusal
    )
    path = made.path if made is not None and live else []
    query = share_link.query(
        current.prompt(), written, current.settings(), path, words.FIRST_PROMPT, current.as_chat(), names[0] if names else ""
    )
    unfollowed = session.replay_steps if not path else None
    return f"{query}&{share_link.encoded({'steps': unfollowed})}".lstrip("&") if unfollowed else query


@error_boundary
def text_found(query: object) -> None:
    """The browser has looked for the text that the address names, and found this: what an address would hold of it, "" if it has none."""
    session = current_session()
    if not session.kept_elsewhere or query is None:
        return
    session.kept_elsewhere = ""
    held = share_link.decoded(query if isinstance(query, str) else "")
    if not held:
        notify(words.TEXT_NOT_HERE)
        return
    session.begin_from(held)
    requested = session.requested
    current.take_over(held)
    session.begun_with, session.requested = None, requested
    if session.replay_steps is None and requested is None:
        session.replay_steps = held.get("steps")
    st.session_state["model"] = held.get("model", (current.model_names() or [""])[0])
