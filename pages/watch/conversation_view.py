"""A conversation as people know it: the messages with the template's tokens dimmed, the answer with its thoughts folded, the input."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core import Generation
from core.chat.conversation import text_of
from core.sources.capabilities import Can
from core.tokens.token_text import Token
from pages.ui.charts.step_tables import shown
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import N_, _
from pages.ui.live.conversation_answer import prompt_parts
from pages.ui.session import conversation, current, elements, share_link
from pages.ui.session.error_boundary import drawing_boundary
from pages.ui.session.share_link import LONGEST_CONVERSATION
from pages.ui.session.state import current_session

IN_SIGHT = 5  # newest messages; the others are folded
MOST_TOKENS = 600  # of a message that are drawn one by one
AVATARS = {"system": ":material/tune:", "user": ":material/person:", "assistant": ":material/smart_toy:", "tool": ":material/build:"}
SYSTEM_HELP = N_("Instructions before the conversation. Not every chat template has a place for them.")
BEGUN_HELP = N_("The model continues its answer after this text, as if it had written it.")
NAMES = {"system": N_("System prompt"), "user": N_("Your message"), "assistant": N_("Answer"), "tool": N_("Answer of a tool")}


def settings() -> None:
    """Draw the button for a new conversation, and the popover with the system prompt and the beginning of the answer."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content", key="conversation_settings"):
        st.button(_("New conversation"), on_click=conversation.new_conversation, icon=":material/add_comment:", key="new_conversation")
        with st.popover(_("Conversation"), icon=":material/forum:", key="conversation", on_change="rerun") as popover:
            if popover.open:
                with drawing_boundary():
                    _settings()


def _settings() -> None:
    session = current_session()
    for name, value, changed, label, about in (
        ("system", session.around.conversation.system, conversation.system_changed, _("System prompt"), _(SYSTEM_HELP)),
        ("begun", session.around.conversation.begun, conversation.begun_changed, _("Beginning of the answer"), _(BEGUN_HELP)),
    ):
        key = f"chat_{name}_{session.around.times_set}"
        st.text_area(label, value, height=100, max_chars=LONGEST_CONVERSATION, key=key, help=about, on_change=changed, args=(key,))


def messages() -> DeltaGenerator:
    """Draw the messages before the answer, and return the place of the answer."""
    with st.container(key="conversation_scroll"), st.container(key="messages", gap="small"):
        if elements.has_run():  # if not, the place of the answer says why
            with drawing_boundary():
                run = current.run()
                shown_messages = run.messages[:-1] if run.messages[-1]["role"] == "assistant" else run.messages
                parts = prompt_parts(run)
                hidden = max(0, len(shown_messages) - IN_SIGHT)
                if hidden:
                    label = _("Earlier messages: {count}").format(count=numbers.whole(hidden))
                    with st.expander(label, key="earlier_messages", on_change="rerun") as older:
                        for index in range(hidden) if older.open else ():
                            _message(run, index, parts[index])
                for index in range(hidden, len(shown_messages)):
                    _message(run, index, parts[index])
        with st.chat_message(_("Answer"), avatar=AVATARS["assistant"]):
            return st.container(key="hero", gap="xsmall")


def _message(run: Generation, index: int, part: Sequence[tuple[Token, bool]]) -> None:
    role, content = run.messages[index]["role"], text_of(run.messages[index])
    with st.chat_message(_(NAMES[role]), avatar=AVATARS[role]), st.container(key=f"message_{index}", gap="xsmall"):
        st.html(f'<p class="tv-message" dir="auto">{_html(part, content)}</p>')
        if Can.NEW_TOKENS not in run.can:
            return
        if role == "assistant":
            about = _("Its tokens can then be branched. “Bring back my text” returns to where you are now.")
            back = (conversation.go_back_to, (), index)
            widget_options: dict[str, Any] = {"help": about, "icon": ":material/undo:", "type": "tertiary", "key": f"go_back_{index}"}
            st.button(_("Go back to this answer"), on_click=elements.run_and_rerun, args=back, **widget_options)
        elif role == "user":
            _edit(index, content)


def _edit(index: int, content: str) -> None:
    with st.popover(_("Edit"), icon=":material/edit:", type="tertiary", key=conversation.edit_key(index), on_change="rerun") as popover:
        if popover.open:
            count = current_session().around.times_set
            text = st.text_area(_("Your message"), content, max_chars=share_link.LONGEST_PROMPT, key=f"edited_{index}_{count}", height=100)
            elements.button(_("Send"), partial(conversation.edit, index, text or ""), type="primary", key=f"send_{index}")
            st.caption(_("The answers after it are dropped. “Bring back my text” undoes this."))


def _html(part: Sequence[tuple[Token, bool]], content: str) -> str:
    """Return the tokens of a message as HTML; a message that the template changed, or a long one, as its text."""
    if not any(not template for _token, template in part) or len(part) > MOST_TOKENS:
        template = [token for token, template in part if template]
        return escape(content) if len(part) > MOST_TOKENS else "".join(map(_template_token, template)) + escape(content)
    return "".join(_template_token(token) if template else _token(token) for token, template in part)


def _template_token(token: Token) -> str:
    return f'<span class="template" title="id {token.token_id}">{escape(shown(token.text, token.piece, token.raw))}</span>'


def _token(token: Token) -> str:
    about = "" if token.token_id is None else f' title="id {token.token_id}"'
    return f"<span{about}>{escape(token.text or token.piece)}</span>"


def message_input() -> None:
    """Draw the input for the next message, inside a container: at the foot of the page it would scroll the whole page to its end."""
    hint = _("Write a message. The model answers at once.")
    with st.container(key="message_input"):
        st.chat_input(hint, key=conversation.MESSAGE, max_chars=share_link.LONGEST_PROMPT, on_submit=conversation.send)
