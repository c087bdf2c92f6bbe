"""Conversations: the list of messages that chat programs use, and the arguments of a chat template, checked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from core.errors import EmptyPrompt, InputError, WrongType

ROLES = ("system", "user", "assistant", "tool")
MOST_MESSAGES = 1_000
LONGEST_FIELDS = 1_000_000  # characters of JSON, of a message's further fields or of the arguments
OWN_ARGUMENTS = ("messages", "add_generation_prompt", "continue_final_message")  # the app gives them to a template
# Further fields of a message that many chat templates read. All others, such as an id or a time, are given to them, too.
TEMPLATE_FIELDS = ("tool_calls", "tool_call_id", "function_call", "reasoning_content", "reasoning", "thinking")
Messages = tuple[dict[str, Any], ...]
Span = tuple[int, int]  # the first and the end index of the tokens of a message's content


def checked_messages(messages: Sequence[Mapping[str, Any]]) -> Messages:
    """Return the messages as plain {"role", "content"} with all further fields, such as `tool_calls`, which a chat template may read.

    Typed content is taken if its parts are texts. Fields of None are left out, as in transformers. Only an answer with `tool_calls` may
    lack a content; see `text_of`. A system prompt can only be the first message. The last message is the user's or a tool's, or the
    beginning of the assistant's answer.
    Raises WrongType for anything else, EmptyPrompt without messages.

    >>> checked_messages([{"role": "user", "content": [{"type": "text", "text": "Hi"}]}])
    ({'role': 'user', 'content': 'Hi'},)
    """
    if not messages:
        raise EmptyPrompt("The text is empty. Write a few words first.")
    if len(messages) > MOST_MESSAGES:
        raise WrongType("A conversation has at most {most} messages.", most=MOST_MESSAGES)
    plain = tuple(_checked(message, number) for number, message in enumerate(messages))
    if plain[-1]["role"] == "system" or "content" not in plain[-1]:
        raise WrongType("A conversation ends with a message of the user or of a tool, or with the beginning of an answer.")
    if not plain[-1]["content"].strip():
        raise EmptyPrompt("The text is empty. Write a few words first.")
    return plain


def _checked(message: Any, number: int) -> dict[str, Any]:
    if not isinstance(message, Mapping):
        message = {}
    content = message.get("content")
    if isinstance(content, list) and all(isinstance(part, Mapping) and part.get("type") == "text" for part in content):
        content = "".join(str(part.get("text", "")) for part in content)
    role, calls = message.get("role"), message.get("role") == "assistant" and message.get("tool_calls")
    if role not in ROLES or not (isinstance(content, str) or (content is None and calls)):
        raise WrongType(
            "Message {number} of the conversation needs a role (system, user, assistant or tool) and a text as its content.",
            number=number + 1,
        )
    if role == "system" and number:
        raise WrongType("A system prompt must be the first message of a conversation.")
    fields = json_copy({name: value for name, value in message.items() if name not in ("role", "content") and value is not None})
    return {"role": role} | ({} if content is None else {"content": content}) | fields


def text_of(message: Mapping[str, Any]) -> str:
    """Return the text of a checked message, "" for an answer that only calls tools."""
    text: str = message.get("content", "")
    return text


def further_fields(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a message has besides its role and content, such as `tool_calls`."""
    return {name: value for name, value in message.items() if name not in ("role", "content")}


def checked_arguments(arguments: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the arguments of a chat template, such as {"enable_thinking": False} or {"tools": [...]}. Raises WrongType.

    >>> checked_arguments({"enable_thinking": False})
    {'enable_thinking': False}
    """
    if arguments is None:
        return {}
    if not isinstance(arguments, Mapping) or not all(isinstance(name, str) and name.isidentifier() for name in arguments):
        raise WrongType("The arguments of a chat template are values by name, such as {example}.", example='{"enable_thinking": False}')
    reserved = next((name for name in OWN_ARGUMENTS if name in arguments), None)
    if reserved is not None:
        raise WrongType("The app itself gives {name} to a chat template. Leave it out.", name=reserved)
    return json_copy(arguments)


def json_copy(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return these values as JSON has them. Raises WrongType for other values, InputError for too many of them."""
    if not values:
        return {}
    try:
        written = json.dumps(dict(values), allow_nan=False)
        written.encode()
    except (TypeError, ValueError, RecursionError) as error:
        names = ", ".join(map(str, values))[:200]
        raise WrongType("{names} cannot be given to a chat template, because JSON has no such value.", names=names) from error
    if len(written) > LONGEST_FIELDS:
        raise InputError("The further fields of a message have at most {most} characters of JSON.", most=LONGEST_FIELDS)
    copied: dict[str, Any] = json.loads(written)
    return copied
