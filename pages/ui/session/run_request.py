"""What a run begins with: the model, the prompt and, for a chat model, the conversation around it; as values and in a link."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from core.chat.conversation import MOST_MESSAGES, ROLES
from core.errors import ViewerError
from core.generation.stop_rule import MOST_TOKENS, Stop

LONGEST_CONVERSATION = 200_000  # characters of all messages
LINK_KEYS = ("earlier", "begun", "stop", "most_new_tokens")

MessagePairs = tuple[tuple[str, str], ...]  # role and content of each


@dataclass(frozen=True, slots=True)
class Conversation:
    """The messages around the prompt of a chat. earlier: those before it; begun: the beginning of the answer."""

    earlier: MessagePairs = ()
    begun: str = ""

    @property
    def system(self) -> str:
        """The system prompt, "" without one."""
        return self.earlier[0][1] if self.earlier and self.earlier[0][0] == "system" else ""

    def with_system(self, text: str) -> Conversation:
        """Return this conversation with another system prompt, or without one."""
        rest = self.earlier[1:] if self.earlier and self.earlier[0][0] == "system" else self.earlier
        return Conversation(((("system", text),) if text.strip() else ()) + rest, self.begun)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Two equal requests are the same run."""

    model: str
    prompt: str
    as_chat: bool = False
    conversation: Conversation = Conversation()

    @property
    def messages(self) -> list[dict[str, str]]:
        """The messages of the chat; [] for a text."""
        if not self.as_chat:
            return []
        begun = (("assistant", self.conversation.begun),) if self.conversation.begun.strip() else ()
        pairs = (*self.conversation.earlier, ("user", self.prompt), *begun)
        return [{"role": role, "content": content} for role, content in pairs]


def pairs_of(messages: Iterable[Mapping[str, str]]) -> MessagePairs:
    """Return messages as pairs of role and content."""
    return tuple((message["role"], message["content"]) for message in messages)


def split_at_question(messages: MessagePairs) -> tuple[str, Conversation] | None:
    """Return the last question, and the conversation around it; None if the messages do not end with a question or its answer."""
    begun = messages[-1][1] if messages and messages[-1][0] == "assistant" else ""
    before = messages[:-1] if begun else messages
    return (before[-1][1], Conversation(before[:-1], begun)) if before and before[-1][0] == "user" else None


def link_values(conversation: Conversation, ending: Stop) -> dict[str, str]:
    """Return the values of a link, without those that say nothing."""
    values = {
        "earlier": _json(conversation.earlier) if conversation.earlier else "",
        "begun": conversation.begun,
        "stop": _json(ending.texts) if ending.texts else "",
        "most_new_tokens": str(ending.tokens) if ending.tokens else "",
    }
    return {key: value for key, value in values.items() if value}


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def conversation_of(query: Mapping[str, str]) -> Conversation:
    """Return the conversation of a link; what is not valid is left out."""
    earlier = _messages(query.get("earlier", ""))
    return Conversation(() if earlier is None else earlier, query.get("begun", "")[:LONGEST_CONVERSATION])


def ending_of(query: Mapping[str, str]) -> Stop:
    """Return where a link's run ends; what is not valid is left out."""
    return _ending(query) or Stop()


def is_valid(query: Mapping[str, str]) -> bool:
    """Return whether the conversation and the ending of a link are valid."""
    return _messages(query.get("earlier", "")) is not None and _ending(query) is not None


def _messages(text: str) -> MessagePairs | None:
    """Return the messages of a link, None if they are not valid."""
    if not text:
        return ()
    messages = _loads(text) if len(text) <= 2 * LONGEST_CONVERSATION else None
    if not isinstance(messages, list) or len(messages) > MOST_MESSAGES:
        return None
    for number, message in enumerate(messages):
        valid = isinstance(message, list) and len(message) == 2 and message[0] in ROLES and isinstance(message[1], str)
        if not valid or (message[0] == "system" and number):
            return None
    if sum(len(content) for _role, content in messages) > LONGEST_CONVERSATION:
        return None
    return tuple((role, content) for role, content in messages)


def _ending(query: Mapping[str, str]) -> Stop | None:
    """Return the ending of a link, None if it is not valid."""
    stop, tokens = query.get("stop", ""), query.get("most_new_tokens") or "0"
    texts = [] if stop.isalpha() else _loads(stop or "[]")  # letters alone are a stop of the tour
    if not isinstance(texts, list) or not (tokens.isascii() and tokens.isdigit()) or len(tokens) > len(str(MOST_TOKENS)):
        return None
    try:
        return Stop.checked(texts, int(tokens))
    except ViewerError:
        return None


def _loads(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
