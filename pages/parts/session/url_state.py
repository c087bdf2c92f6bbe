"""URL state: model and prompt in the browser's address, so that it can be kept, sent and gone back to.

A session reads its address once, when it begins; from then on the address follows the session and is never asked again. Nothing is bound
to a widget: a bound value travels both ways, and where the two ways overlap the older value wins.
"""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

from pages.parts.session import current, share_link
from pages.parts.session.sampling_controls import CONTROLS
from pages.parts.session.state import current_session, error_boundary, notify
from pages.parts.text import words

LONGEST = 6_000  # characters of an address; servers and proxies on the way begin to refuse at 8,000
KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Address:
    """query: what stands behind the question mark. stored: what is too long for that, to be kept in the browser under `name`.

    wanted: the name of a text that the browser is asked for, "" if none.
    """

    query: str
    stored: str = ""
    name: str = ""
    wanted: str = ""


def mark() -> None:
    """Before anything is drawn: what the address asks for stands in the widgets of pages that have none for it, too."""
    if "prompt" not in st.session_state:
        st.session_state["prompt"] = current.prompt()
    turned = current_session().turned
    if current.model_names():
        st.session_state["model"] = turned["model"] = current.model_name()
    for control in CONTROLS:  # a page that is left may take the widgets' values with it
        value = st.session_state.get(control.key)
        if value is not None:
            turned[control.key] = value
        elif control.key in turned:
            st.session_state[control.key] = turned[control.key]


def address() -> Address:
    """What the address is to say now."""
    session = current_session()
    if session.kept_elsewhere:
        return Address("", wanted=session.kept_elsewhere)
    if session.requested is not None:  # still what the link asks for, for whoever loads the page again
        return Address(share_link.encoded(session.requested.query))
    whole = address_query()
    if len(whole) <= LONGEST:
        return Address(whole)
    return Address(share_link.encoded({KEPT: session.name}), stored=whole, name=session.name)


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
    if not isinstance(query, str):
        return
    wanted, session.kept_elsewhere = session.kept_elsewhere, ""
    held = share_link.decoded(query)
    if not held:
        if wanted:
            notify(words.TEXT_NOT_HERE)
        return
    session.begin_from(held)
    requested = session.requested
    current.take_over(held)
    session.begun_with, session.requested = None, requested
    if session.replay_steps is None and requested is None:
        session.replay_steps = held.get("steps")
    st.session_state["model"] = held.get("model", (current.model_names() or [""])[0])
