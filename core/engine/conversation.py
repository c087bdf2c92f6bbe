"""Conversations: the list of messages that chat programs use, checked, and rendered by a model's chat template."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from core.engine.chat_template import TemplateFailed, render
from core.errors import BrokenModel, EmptyPrompt, WrongType
from core.message import Message

ROLES = ("system", "user", "assistant")
MOST_MESSAGES = 1_000

Messages = tuple[dict[str, str], ...]


def checked_messages(messages: Sequence[Mapping[str, Any]]) -> Messages:
    """Return the messages as plain {"role", "content"}. Typed content is taken if its parts are texts.

    A system prompt can only be the first message. The last message is the user's, or the beginning of the assistant's answer.
    Raises WrongType for anything else, EmptyPrompt without messages.

    >>> checked_messages([{"role": "user", "content": [{"type": "text", "text": "Hi"}]}])
    ({'role': 'user', 'content': 'Hi'},)
    """
    if not messages:
        raise EmptyPrompt(Message("The text is empty. Write a few words first."))
    if len(messages) > MOST_MESSAGES:
        raise WrongType(Message("A conversation has at most {most} messages.", most=MOST_MESSAGES))
    plain = tuple(_checked(message, number) for number, message in enumerate(messages))
    if plain[-1]["role"] == "system":
        raise WrongType(Message("A conversation ends with a message of the user, or with the beginning of an answer."))
    if not plain[-1]["content"].strip():
        raise EmptyPrompt(Message("The text is empty. Write a few words first."))
    return plain


def _checked(message: Any, number: int) -> dict[str, str]:
    role, content = (message.get("role"), message.get("content")) if isinstance(message, Mapping) else (None, None)
    if isinstance(content, list) and all(isinstance(part, Mapping) and part.get("type") == "text" for part in content):
        content = "".join(str(part.get("text", "")) for part in content)
    if role not in ROLES or not isinstance(content, str):
        raise WrongType(
            Message(
                "Message {number} of the conversation needs a role (system, user or assistant) and a text as its content.",
                number=number + 1,
            )
        )
    if role == "system" and number:
        raise WrongType(Message("A system prompt must be the first message of a conversation."))
    return {"role": role, "content": content}


def rendered(template: str, messages: Messages, marks: dict[str, Any], name: str) -> str:
    """Return the conversation as the template writes it, with what introduces the next answer. name: of the model, for errors.

    An answer that was begun follows as it is. Raises BrokenModel if the template fails or leaves out the system prompt.
    """
    begun = messages[-1]["content"] if messages[-1]["role"] == "assistant" else ""
    turns = messages[:-1] if begun else messages
    try:
        written = render(template, list(turns), marks)
    except (TemplateFailed, ValueError, IndexError) as error:  # a template is a program and can fail
        if len(messages) == 1:
            raise BrokenModel(Message("The chat template of {name} cannot be used with a plain question.", name=name)) from error
        if turns[0]["role"] == "system":
            said = Message(
                "The chat template of {name} does not take this conversation. It may have no place for a system prompt.", name=name
            )
            raise BrokenModel(said) from error
        said = Message("The chat template of {name} does not take this conversation. User and assistant must take turns.", name=name)
        raise BrokenModel(said) from error
    if turns[0]["role"] == "system" and turns[0]["content"].strip() not in written:
        raise BrokenModel(Message("The chat template of {name} has no place for a system prompt. Leave it out.", name=name))
    return written + begun
