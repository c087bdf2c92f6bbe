"""The browser's address: model, prompt, settings and steps are written to it, so that a reload restores them.

`share_link` parses it. A session reads its address once, at its start. From then on the app only writes the address. Widgets are not bound
to the address: a bound value is sent both ways, and the older value can win.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import NotForThisModel
from core.sampling.settings import SETTINGS
from core.sources.capabilities import Can
from pages.ui.components.browser import browser
from pages.ui.i18n import example_texts, numbers
from pages.ui.i18n.translation import _
from pages.ui.server import offered_models
from pages.ui.session import current, language, resumed_session, share_link
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import notify
from pages.ui.session.run_request import Conversation, pairs_of, split_at_question
from pages.ui.session.share_link import Stop, link_values
from pages.ui.session.state import current_session, fill_fields, set_field

if TYPE_CHECKING:
    from core import Generation

LONGEST = 6_000  # characters of an address; some servers and proxies refuse more than 8,000
STORED = "kept"
MAIN = "address"


@dataclass(frozen=True, slots=True)
class Address:
    """query: the address after the question mark. stored: a longer query, for the browser's storage under `name`.

    wanted: the name of a text to request from the browser's storage, "" if none. recording: whether a recording is shown, which an
    address cannot contain.
    """

    query: str
    stored: str = ""
    name: str = ""
    wanted: str = ""
    recording: bool = False


def fill_widgets(path: str) -> None:
    """Set prompt, model and settings in `st.session_state` before the page with this path is drawn, also on pages without these widgets."""
    fill_fields()
    if "prompt" not in st.session_state:
        st.session_state["prompt"] = current.prompt()
    saved = current_session().fields.saved
    saved["prompt"], saved["as_chat"] = st.session_state["prompt"], st.session_state.get("as_chat")
    if current.model_names():
        st.session_state["model"] = saved["model"] = current.model_name()
    is_new_page = path != current_session().page.path
    for name in SETTINGS:  # Streamlit drops the values of widgets that a page does not draw
        value = st.session_state.get(name)
        if value is not None:
            saved[name] = value
        if name in saved and (value is None or is_new_page):  # set again: the browser shows the first value of a control that comes back
            st.session_state[name] = saved[name]


def address() -> Address:
    """Return what to write to the address now."""
    session = current_session()
    if session.browser.wanted:
        return Address("", wanted=session.browser.wanted)
    if session.link.requested is not None:  # keep the link until its model is opened or dismissed, so that a reload offers it again
        return Address(share_link.encoded(session.link.requested.query))
    complete_query = address_query()
    recording = session.run is not None and Can.NEW_TOKENS not in session.run.can
    if len(complete_query) <= LONGEST:
        return Address(complete_query, recording=recording)
    return Address(
        share_link.encoded({STORED: session.browser.name} | _language()),
        stored=complete_query,
        name=session.browser.name,
        recording=recording,
    )


def write_address(key: str = MAIN) -> None:
    """Write the address. key: identifies the caller; a fragment that makes steps has its own key."""
    # asks: only one place may report a text the browser stored. drawn: changes at every run of the page, for scripts that wait for one.
    data = address_data() | {"asks": key == MAIN, "drawn": current_session().page.draws}
    browser.address(key, data, lambda: text_found(getattr(st.session_state.get(key), "found", None)))


def address_data() -> dict[str, object]:
    """Return the address as the browser gets it."""
    state, session = address(), current_session()
    return {
        "page": session.page.path or "",  # a change of page empties the address, and the component ignores data that did not change
        "query": state.query,
        "stored": state.stored,
        "name": state.name,
        "wanted": state.wanted,
        "recording": state.recording,
        "session": session.browser.name,
        "secret": session.browser.secret,
        "answered": session.browser.answered,
    }


def link_query() -> tuple[str, str]:
    """Return the query of this run's share link, and one sentence on what the link opens."""
    run, session = current.run(), current_session()
    if Can.FACTS not in run.can:
        return "", _("A saved answer has no link, because its prompt and its settings are not in the file. Send the file.")
    path = run.path if Can.TOKEN_IDS in run.can else []
    live = session.begun.of_run if session.begun.of_run and Can.NEW_TOKENS in run.can else None
    asked = session.begun.asked.model if session.begun.asked and live and not session.begun.refusal else run.model_name
    try:
        around = split_at_question(pairs_of(run.messages, run.template_arguments)) if live is None else (live.prompt, live.conversation)
    except NotForThisModel as error:
        return "", str(error)
    prompt, conversation = around or (run.prompt, Conversation())
    more = share_link.encoded(link_values(conversation, session.around.ending if live else Stop()) | _language())
    name = asked if asked in session.models.servers else run.model_name
    for steps in (path, []) if Can.NEW_TOKENS not in run.can else (path,):
        query = share_link.query(prompt, name, current.settings(), steps, example_texts.FIRST_PROMPT, run.as_chat)
        query = "&".join(filter(None, (query, more)))
        if len(query) <= share_link.LONGEST_LINK:
            return query, _what_link_opens(run, bool(steps))
    if Can.NEW_TOKENS not in run.can:
        return "", _("The text is too long for a link. Save a recording instead.")
    query = share_link.encoded({STORED: session.browser.name} | _language())
    return query, _("This text is too long for a link. This link opens it in this browser only. For other browsers, save a recording.")


def _what_link_opens(run: Generation, with_steps: bool) -> str:
    """Return one sentence on what the link of this run opens."""
    if Can.NEW_TOKENS not in run.can:
        return (
            _("This link writes the text again with a live model. To share the recording itself, send its file.")
            if with_steps
            else _("This link contains only the prompt. To share the recording, send its file.")
        )
    if run.path and not with_steps:
        return _("This link contains only the prompt, because the tokens of this server have no ids. To share the text, save a recording.")
    if len(run.path) > share_link.MOST_STEPS:
        return _("This link contains only the first {count} steps. To share all of them, save a recording.").format(
            count=numbers.whole(share_link.MOST_STEPS)
        )
    return _("This link opens the same text with the same dice rolls.")


def _language() -> dict[str, str]:
    """Return the chosen language as a query."""
    chosen = current_session().language.chosen
    return {language.PARAMETER: chosen} if chosen else {}


def address_query() -> str:
    """Return prompt, model, settings and steps as a query. The default model is left out."""
    session, run = current_session(), current_session().run
    names = current.model_names()
    name = current.model_name() if names else ""
    live = run is not None and Can.NEW_TOKENS in run.can and session.begun.asked == current.request() and not session.begun.refusal
    path = run.path if run is not None and live and Can.TOKEN_IDS in run.can else []
    query = share_link.query(
        current.prompt(), name, current.settings(), path, example_texts.FIRST_PROMPT, current.as_chat(), names[0] if names else ""
    )
    unfollowed, around = session.link.steps if not path else None, session.around
    more = (
        ({"steps": unfollowed} if unfollowed else {}) | link_values(around.conversation, around.ending) | session.page.address | _language()
    )
    return f"{query}&{share_link.encoded(more)}".lstrip("&") if more else query


@action_boundary
def text_found(stored: object) -> None:
    """Continue the session of a tab that was loaded again. If the server does not have it any more, restore the text that the browser
    stored: from before a lost connection, or under the name in the address.

    stored: `{"query": the stored query, "" if there is none, "back": whether the connection was lost, "secret": of the session that the tab
    had}`. It comes from a browser, so it can be any value.
    """
    session = current_session()
    session.browser.answered = True
    if not isinstance(stored, dict) or resumed_session.resume(stored.get("secret")):
        return
    wanted, session.browser.wanted = session.browser.wanted, ""
    query, back = stored.get("query"), stored.get("back") is True
    values = share_link.decoded(query) if isinstance(query, str) else {}
    if stored.get("recording") is True:
        notify(_("A recording is open only as long as its page. Open its file again."))
    if not values:
        if wanted:
            notify(_("The text of this link is stored in the browser where it was written, and not in this one."))
        return
    if back:
        if stored.get("recording") is not True:
            notify(_back_again(values))
        if query == address_query():  # the address has restored it already
            return
    session.begin_from(values)
    session.browser.wanted = ""  # found, so it is not requested again
    requested = session.link.requested
    current.apply_query(values)
    session.begun.asked, session.link.requested = None, requested
    usual = (current.model_names() or [""])[0]
    name = values.get("model", usual)
    if session.link.steps is None and requested is None and name in current.model_names():
        session.link.steps = values.get("steps")
    set_field("model", name if name in current.model_names() else usual)


def _back_again(values: Mapping[str, str]) -> str:
    """Return the notice for a visitor whose connection was lost and whose page got a new session."""
    name = values.get("model")
    if name is None or name in current.model_names() or share_link.kind_of_model(name) is not None:
        return _("The connection was lost. Your text was restored. Results of experiments were lost.")
    return _("The connection was lost, and the model {name} was closed. Its text cannot be continued.").format(
        name=offered_models.title(name)
    )
