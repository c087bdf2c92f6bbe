"""URL state: model and prompt in the browser's address, so that it can be kept, sent and gone back to.

A session reads its address once, when it begins; from then on the address follows the session and is never asked again. Nothing is bound
to a widget: a bound value travels both ways, and where the two ways overlap the older value wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import streamlit as st

from core.language import _
from pages.ui.i18n import example_texts
from pages.ui.server import loaded_models
from pages.ui.session import current, effective_value, share_link
from pages.ui.session.sampling_controls import CONTROLS
from pages.ui.session.state import current_session, error_boundary, notify

LONGEST = 6_000  # characters of an address; servers and proxies on the way begin to refuse at 8,000
LONGEST_LINK = 7_500  # the same of a link, which is written once and not at every token
KEPT = "kept"


@dataclass(frozen=True, slots=True)
class Address:
    """query: what stands behind the question mark. stored: what is too long for that, to be kept in the browser under `name`.

    wanted: the name of a text that the browser is asked for, "" if none. recording: whether what is on screen is a recording, which no
    address holds.
    """

    query: str
    stored: str = ""
    name: str = ""
    wanted: str = ""
    recording: bool = False


def fill_widgets() -> None:
    """Before anything is drawn: what the address asks for stands in the widgets of pages that have none for it, too."""
    if "prompt" not in st.session_state:
        st.session_state["prompt"] = current.prompt()
    turned = current_session().saved_widget_values
    if current.model_names():
        st.session_state["model"] = turned["model"] = current.model_name()
    effective_value.restore()
    for control in CONTROLS:  # a page that is left may take the widgets' values with it
        value = st.session_state.get(control.key)
        if value is not None:
            turned[control.key] = value
        elif control.key in turned:
            st.session_state[control.key] = turned[control.key]


def address() -> Address:
    """What the address is to say now."""
    session = current_session()
    if session.browser_storage_key:
        return Address("", wanted=session.browser_storage_key)
    if session.requested is not None:  # still what the link asks for, for whoever loads the page again
        return Address(share_link.encoded(session.requested.query))
    whole = address_query()
    recording = session.run is not None and session.run.is_replay
    if len(whole) <= LONGEST:
        return Address(whole, recording=recording)
    return Address(share_link.encoded({KEPT: session.name} | _language()), stored=whole, name=session.name, recording=recording)


def link_query() -> tuple[str, str]:
    """What stands behind the question mark of this run's link, and one sentence on what whoever opens it finds."""
    made, session = current.run(), current_session()
    path = made.path
    asked = session.begun_with[0] if session.begun_with and not made.is_replay and not session.refusal else made.model_name
    name = share_link.server_address(asked) if asked in session.servers else made.model_name
    exact = not made.is_replay and len(path) <= share_link.MOST_STEPS
    for steps in (path, []) if made.is_replay else (path,):
        query = share_link.query(made.prompt, name, current.settings(), steps, example_texts.FIRST_PROMPT, made.as_chat)
        query = "&".join(filter(None, (query, share_link.encoded(_language()))))
        if len(query) <= LONGEST_LINK:
            return query, _("Whoever opens this link sees the same text, rolled with the same dice.") if exact else _(
                "The text is too long for a link that goes everywhere. A recording holds it all."
            )
    return (
        ("", _("The text is too long for a link that goes everywhere. A recording holds it all."))
        if made.is_replay
        else (
            share_link.encoded({KEPT: session.name} | _language()),
            _(
                "This text is too long for a link that goes everywhere: this one finds it in this browser "
                "and in no other. A recording holds it all."
            ),
        )
    )


def _language() -> dict[str, str]:
    """A language that was chosen, as an address holds it."""
    chosen = current_session().language
    return {"lang": chosen} if chosen else {}


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
        current.prompt(), written, current.settings(), path, example_texts.FIRST_PROMPT, current.as_chat(), names[0] if names else ""
    )
    unfollowed = session.replay_steps if not path else None
    more = ({"steps": unfollowed} if unfollowed else {}) | session.place | _language()
    return f"{query}&{share_link.encoded(more)}".lstrip("&") if more else query


@error_boundary
def text_found(found: object) -> None:
    """The browser tells what it knows of the text that was on this page, or lies under the name that the address holds.

    found: `{"query": what an address would hold of it, "" if it knows nothing, "back": whether it was on this page a moment ago}`. It comes
    from a browser, so it may be anything.
    """
    session = current_session()
    session.answered = True
    if not isinstance(found, dict):
        return
    wanted, session.browser_storage_key = session.browser_storage_key, ""
    query, back = found.get("query"), found.get("back") is True
    held = share_link.decoded(query) if isinstance(query, str) else {}
    if not held:
        if wanted:
            notify(
                _("This address belongs to a text that was too long for it and lies in the browser where it was written, not in this one.")
            )
        return
    if back:
        notify(_back_again(held, found.get("recording") is True))
        if query == address_query():  # the address that the browser came with has brought it already
            return
    session.begin_from(held)
    session.browser_storage_key = ""  # what was found is looked for no further
    requested = session.requested
    current.apply_query(held)
    session.begun_with, session.requested = None, requested
    usual = (current.model_names() or [""])[0]
    name = held.get("model", usual)
    if session.replay_steps is None and requested is None and name in current.model_names():
        session.replay_steps = held.get("steps")
    st.session_state["model"] = name if name in current.model_names() else usual


def _back_again(held: Mapping[str, str], recording: bool) -> str:
    """What to say to somebody whose page found another session behind it."""
    if recording:
        return _("The connection was lost for a moment, and with it the recording; open its file again.")
    name = held.get("model")
    if name is None or name in current.model_names() or share_link.kind_of_model(name) is not None:
        return _("The connection was lost for a moment. Your text is back as it was; what experiments had found is not.")
    return _("The connection was lost for a moment, and with it the model {name}; its text cannot be written on.").format(
        name=loaded_models.title(name)
    )
