"""Conversations: the list of messages that chat programs use, checked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import EmptyPrompt, WrongType

ROLES = ("system", "user", "assistant")
MOST_MESSAGES = 1_000
Messages = tuple[dict[str, str], ...]
Span = tuple[int, int]  # the first and the end index of the tokens of a message's content


def checked_messages(messages: Sequence[Mapping[str, Any]]) -> Messages:
    """Return the messages as plain {"role", "content"}. Typed content is taken if its parts are texts.

    A system prompt can only be the first message. The last message is the user's, or the beginning of the assistant's answer.
    Raises WrongType for anything else, EmptyPrompt without messages.

    >>> checked_messages([{"role": "user", "content": [{"type": "text", "text": "Hi"}]}])
    ({'role': 'user', 'content': 'Hi'},)
    """
    if not messages:
        raise EmptyPrompt("The text is empty. Write a few words first.")
    if len(messages) > MOST_MESSAGES:
        raise WrongType("A conversation has at most {most} messages.", most=MOST_MESSAGES)
    plain = tuple(_checked(message, number) for number, message in enumerate(messages))
    if plain[-1]["role"] == "system":
        raise WrongType("A conversation ends with a message of the user, or with the beginning of an answer.")
    if not plain[-1]["content"].strip():
        raise EmptyPrompt("The text is empty. Write a few words first.")
    return plain


def _checked(message: Any, number: int) -> dict[str, str]:
    role, content = (message.get("role"), message.get("content")) if isinstance(message, Mapping) else (None, None)
    if isinstance(content, list) and all(isinstance(part, Mapping) and part.get("type") == "text" for part in content):
        content = "".join(str(part.get("text", "")) for part in content)
    if role not in ROLES or not isinstance(content, str):
        raise WrongType(
            "Message {number} of the conversation needs a role (system, user or assistant) and a text as its content.", number=number + 1
        )
    if role == "system" and number:
        raise WrongType("A system prompt must be the first message of a conversation.")
    return {"role": role, "content": content}
