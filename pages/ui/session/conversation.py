"""Actions on a conversation: send, edit, go back to an earlier answer, open and save messages, and where a text stops."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from time import monotonic
from typing import Any

import numpy as np
import streamlit as st

from core import Generation
from core.chat.conversation import checked_messages
from core.chat.thoughts import USUAL_END
from core.errors import BadRecording, ModelError, ViewerError
from core.generation.recording_file import public_name
from core.generation.turns import messages_of
from core.record.bounded_json import BoundedJson, Bounds
from core.sources.capabilities import Can
from pages.ui.i18n import numbers
from pages.ui.i18n.safe_text import plain
from pages.ui.i18n.translation import _, say
from pages.ui.server import offered_models
from pages.ui.session import current, opened_recording, run_start, undo
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.link_replay import LINK_SECONDS
from pages.ui.session.notices import anchor_notices, notify
from pages.ui.session.run_request import Conversation, MessagePairs, pairs_of, split_at_question
from pages.ui.session.share_link import LONGEST_CONVERSATION, Stop
from pages.ui.session.state import SavedRun, current_session, field_value, memory, set_field
from pages.ui.session.upload_field import take

MESSAGE, OPENED = "chat_message", "conversation_file"  # keys of the input and of the upload field
MOST_ANSWERED, MOST_STORED_STEPS = 20, 5_000  # runs of earlier answers that are stored, and their steps
BOUNDS = Bounds(size=8 * 2**20, rest=2**20, entry=2**20, depth=40, marks=200_000, lists={})  # tools nest deeply


@dataclass(slots=True)
class EarlierAnswers:
    """The runs of earlier answers, by the conversation up to the answer."""

    runs: dict[MessagePairs, SavedRun] = field(default_factory=dict)


def edit_key(position: int) -> str:
    """Return the key of the popover in which the message at `position` is edited."""
    return f"edit_{position}"


def in_conversation() -> bool:
    """Return whether the visitor's text is a conversation: a live one, or the recording of one."""
    try:
        recording = opened_recording.shown()
        return bool(recording.messages) if recording is not None else current.as_chat()
    except ViewerError:  # there is no model
        return False


@action_boundary
def send() -> None:
    """Send the message that was typed, after the answer on the current path, and let the model answer."""
    text = str(st.session_state.get(MESSAGE) or "")
    if not text.strip():
        return
    session = current_session()
    if not current.prompt().strip() and opened_recording.shown() is None:  # a new conversation
        session.player.playing = _begin(text, session.around.conversation)
        if not session.player.playing:
            st.session_state[MESSAGE] = text
        return
    before = current.begin()
    messages = pairs_of(messages_of(before), before.template_arguments)
    if messages[-1][0] != "assistant":
        st.session_state[MESSAGE] = text
        notify(_("The model has not answered yet. Press Step or Play first."))
        return
    _remember(before, messages)
    if _begin(text, Conversation(messages)):
        session.begun.rewritten_from = _first_difference(before, current.begin())
        session.player.playing = True
    else:
        st.session_state[MESSAGE] = text  # the input keeps the message


@action_boundary
def edit(position: int, text: str) -> None:
    """Replace a message of the user, drop what came after it, and let the model answer. Undo restores the conversation as it was."""
    run = current.begin()
    messages = pairs_of(run.messages, run.template_arguments)
    if not 0 <= position < len(messages) or messages[position][0] != "user" or not text.strip():
        return
    _remember(run, pairs_of(messages_of(run), run.template_arguments))
    if _begin(text, Conversation(messages[:position])):
        current_session().player.playing = True
        st.session_state[edit_key(position)] = False


@action_boundary
def go_back_to(position: int) -> None:
    """Make an earlier answer the current one, so that it can be branched. Undo restores the conversation as it was.

    An answer from a link or a file has no steps: its tokens are forced, which shows their probabilities. On a server without token ids it
    becomes the beginning of the answer, which only some servers continue.
    """
    session, run = current.changed("rolled"), current.begin()
    messages = pairs_of(run.messages, run.template_arguments)
    if not 0 < position < len(messages) or messages[position][0] != "assistant":
        return
    session.player.playing = False
    _remember(run, pairs_of(messages_of(run), run.template_arguments))
    earlier = memory(EarlierAnswers).runs.get(messages[: position + 1])
    if earlier is not None and earlier.begun_with.model in current.model_names():
        session.save_run()
        run_start.hand_over_cache(run, earlier.run)
        undo.restore(session, earlier)
        return
    first, end = run.message_spans[position]
    tokens = [token.token_id for token in run.prompt_tokens[first:end]]
    with_ids = None not in tokens
    around = split_at_question(messages[: position if with_ids else position + 1])
    if around is not None and _begin(around[0], around[1]) and with_ids:
        _force(tokens)


def _force(tokens: list[int]) -> None:
    """Take these tokens one after the other, within the time that a link may take."""
    run, latest = current.begin(), monotonic() + LINK_SECONDS
    run.stop_at()  # `current.begin` sets it again
    for token_id in tokens:
        if run.finished or monotonic() > latest:
            notify(_("The answer could not be followed to its end; what you see is as far as it goes."))
            break
        run.force(token_id)
    current.changed("rolled")


def _begin(text: str, conversation: Conversation) -> bool:
    """Begin the run of this conversation. If it is refused, keep the old one, say why, and return False."""
    session = current_session()
    before = field_value("prompt"), session.around.conversation, field_value("as_chat")
    session.around.set(conversation, session.around.ending)
    set_field("prompt", text)
    set_field("as_chat", True)
    current.changed("coming").player.playing = False
    try:
        if not current.as_chat():
            raise ModelError(no_template())
        current.begin()
    except ViewerError as error:
        empty = not str(before[0] or "").strip()
        set_field("prompt", "" if empty else before[0])
        set_field("as_chat", before[2])
        session.around.set(before[1], session.around.ending)
        if empty:  # there is no run to return to
            session.begun.asked = None
        notify(say(error))
        return False
    return True


def no_template() -> str:
    """Return the sentence that the visitor's model cannot have a conversation. Raises ViewerError if there is no model."""
    sentence = _("{name} has no chat template: it continues a text and does not answer. Choose a chat model first.")
    return sentence.format(name=plain(offered_models.title(current.model().name)))


def _remember(run: Generation, messages: MessagePairs) -> None:
    """Keep the run of an answer, so that the conversation can return to it with all its branches."""
    session = current_session()
    if Can.NEW_TOKENS not in run.can or not run.path or session.begun.of_run is None:
        return
    runs = memory(EarlierAnswers).runs
    runs.pop(messages, None)
    runs[messages] = SavedRun(run, run.here, session.begun.of_run, "rolled")
    while len(runs) > MOST_ANSWERED or (len(runs) > 1 and sum(len(answered.run.nodes) for answered in runs.values()) > MOST_STORED_STEPS):
        del runs[next(iter(runs))]


def _first_difference(before: Any, now: Any) -> int:
    """Return the first token, from 1, that a further turn writes differently from the text before it; 0 if there is none."""
    if Can.NEW_TOKENS not in before.can or before.model is not now.model:
        return 0
    old, new = before.token_ids, now.token_ids
    count = min(len(old), len(new))
    same = old[:count] == new[:count]
    return 0 if same.all() else int(np.argmin(same)) + 1


@action_boundary
def new_conversation() -> None:
    """Begin an empty conversation with the same system prompt. The old one is saved for undo."""
    session = current.changed("coming")
    system = session.around.conversation.system
    current.use_prompt("")
    session.around.set(Conversation().with_system(system), session.around.ending)


@action_boundary
def open_on_watch() -> None:
    """Show the visitor's conversation on Watch, or an empty one. A text is saved for undo."""
    if not in_conversation():
        new_conversation()
        set_field("as_chat", True)


@action_boundary
def system_changed(key: str) -> None:
    """Begin the conversation again with another system prompt."""
    session = current.changed("coming")
    session.around.conversation = session.around.conversation.with_system(str(current.field(key) or ""))


@action_boundary
def begun_changed(key: str) -> None:
    """Begin the answer with this text."""
    session = current.changed("coming")
    session.around.conversation = Conversation(session.around.conversation.earlier, str(current.field(key) or ""))


@action_boundary
def ending_changed(texts: str, tokens: str, copies: str, thoughts: str, thoughts_end: str) -> None:
    """Take where a text ends from its fields: stop texts, one per line, new tokens at most, copies of a loop, the budget for thoughts."""
    lines = [line.replace("\\n", "\n") for line in str(current.field(texts) or "").splitlines()]
    session = current_session()
    most, count = (int(current.field(key) or 0) for key in (tokens, copies))
    budget, end = current.field(thoughts), str(current.field(thoughts_end) or "")
    listed = dict.fromkeys(line for line in lines if line)
    if budget is not None and session.around.ending.thoughts is None and not end and not current.model().thinking_marks:
        end = USUAL_END
    session.around.ending = Stop.checked(listed, most, count, None if budget is None else int(budget), end)
    current.count_click()


@action_boundary
def file_uploaded() -> None:
    """Open the uploaded messages as the visitor's conversation. The old text is saved for undo."""
    anchor_notices(OPENED)
    data = take(OPENED)
    if data is None:
        return
    prompt, conversation = messages_in(data)
    current_session().save_run()
    _begin(prompt, conversation)


def messages_in(data: bytes) -> tuple[str, Conversation]:
    """Return the last question of a file of messages and the conversation around it. Raises ViewerError for any other file.

    The file has a list of messages, or an object with such a list under "messages", as chat programs and servers write it.
    """
    head = BoundedJson(data, BOUNDS).head
    listed = head.get("messages") if isinstance(head, dict) else head
    if not isinstance(listed, list) or not listed:
        raise BadRecording(_("This file has no list of messages with a role and a content."))
    unread = {name: head[name] for name in ("tools", "functions", "chat_template_kwargs") if isinstance(head, dict) and head.get(name)}
    messages = pairs_of(checked_messages(listed), unread)
    count = sum(len(content) for _role, content in messages)
    if count > LONGEST_CONVERSATION:
        limit = numbers.whole(LONGEST_CONVERSATION)
        raise BadRecording(
            _("This conversation has {count} characters; this app takes at most {limit}.").format(count=numbers.whole(count), limit=limit)
        )
    question = split_at_question(messages)
    if question is None:
        raise BadRecording(_("This conversation needs a message of the user before its last answer."))
    return question


def messages_file(run: Generation) -> str:
    """Return the conversation as the JSON that chat programs use. It is called outside of a session."""
    content = {"model": public_name(run.model_name), "messages": messages_of(run)} | run.template_arguments
    return json.dumps(content, ensure_ascii=False, indent=1)
