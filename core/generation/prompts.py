"""Check and tokenize what a run begins with: a text, a question in the chat template, or a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from core.engine.conversation import Messages, checked_messages
from core.errors import EmptyPrompt, PromptTooLong, WrongType
from core.limits import Limits
from core.message import Message
from core.tokens.tokens import Token

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

LONGEST_PROMPT = 4_000_000  # characters; longer than any context, to bound the tokenizer's work

Prompt = str | list[dict[str, Any]] | Messages


def read_prompt(model: LanguageModel, prompt: Prompt, as_chat: bool, limits: Limits) -> tuple[str, Messages, list[Token]]:
    """Return the text to show, the messages of a conversation (() without one) and the tokens.

    Raises EmptyPrompt, PromptTooLong, WrongType if the model or the prompt has the wrong type, and the errors of the chat template.
    """
    if as_chat and isinstance(prompt, str) and prompt:
        prompt = [{"role": "user", "content": prompt}]
    if isinstance(prompt, list | tuple) and prompt and not any(hasattr(message, "keys") or isinstance(message, str) for message in prompt):
        raise WrongType("A prompt is a text or a list of messages, not a list of token ids. Give the text of these tokens.")
    messages = checked_messages(prompt) if isinstance(prompt, list | tuple) else ()
    text = "\n".join(message["content"] for message in messages) if messages else prompt
    _check_kinds(model, text)
    assert isinstance(text, str)
    if not text:
        raise EmptyPrompt("The text is empty. Write a few words first.")
    if len(text) > LONGEST_PROMPT:
        said = Message("The text has {count} characters; {model} takes at most {most} tokens. Shorten it.")
        raise PromptTooLong(said.with_values(count=len(text), model=model.name, most=model.context_length))
    tokens = model.tokenize_messages(messages) if messages else model.tokenize(text)
    count = len(tokens)
    if count == 0:
        raise EmptyPrompt("The text is empty. Write a few words first.")
    if count > model.context_length:
        said = Message("The text has {count} tokens; {model} takes at most {most}. Shorten it.")
        raise PromptTooLong(said.with_values(count=count, model=model.name, most=model.context_length))
    if limits.prompt_tokens and count > limits.prompt_tokens:
        said = Message("The prompt has {count} tokens; this app takes at most {most}. Shorten it.")
        raise PromptTooLong(said.with_values(count=count, most=limits.prompt_tokens))
    return messages[-1]["content"] if messages else text, messages, tokens


def _check_kinds(model: Any, prompt: Any) -> None:
    """Raise WrongType if the model or the prompt has the wrong type."""
    if not hasattr(model, "tokenize"):
        said = Message("A run needs a loaded model such as load_model({model}), not {kind}.")
        raise WrongType(said.with_values(model=repr(str(model)[:40]), kind=type(model).__name__))
    if not isinstance(prompt, str):
        raise WrongType("A prompt is a text, not {kind}.", kind=type(prompt).__name__)
