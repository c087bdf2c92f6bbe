"""Sources that divide texts into tokens, and the prompt of a run: a text, a question in the chat template, or a conversation."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from core.chat.conversation import Messages, checked_arguments, checked_messages, text_of
from core.errors import EmptyPrompt, InputError, ModelError, PromptTooLong, WrongType
from core.limits import Limits
from core.message import Message
from core.record.step import Candidate, Step
from core.sources.source import NO_ARGUMENTS, Answer, Arguments, Beginning, Prompt, Source
from core.tokens.token_text import Token, join

LONGEST_PROMPT = 4_000_000  # characters; longer than any context, to bound the tokenizer's work


class TokenSource(Source):
    """A source whose tokens have ids, and which divides texts into them."""

    @abstractmethod
    def encode(self, text: str) -> list[int]:
        """Return the token ids of a text, with the special tokens that a text begins with. Raises InputError, BadToken."""

    @abstractmethod
    def tokenize(self, text: str) -> list[Token]:
        """Return the tokens of a text; their texts joined are the text."""

    @abstractmethod
    def token_of(self, text: str) -> Token:
        """Return the token whose bytes are exactly this text. Raises BadToken if there is none."""

    def tokenize_messages(self, messages: Messages, arguments: Arguments = NO_ARGUMENTS) -> list[Token]:
        """Return the tokens of a conversation. Raises ModelError for a source that continues texts only."""
        raise ModelError("{name} is not a chat model: it continues a text and does not answer.", name=self.name)

    def raw_tokens(self) -> tuple[list[bytes], list[int]]:
        """Return the bytes of every token by id, and the ids of the special tokens: what a constraint needs of a source."""
        tokens = [self.token(token_id) for token_id in range(self.vocabulary_size)]
        return [token.raw for token in tokens], [token_id for token_id, token in enumerate(tokens) if token.special]

    def text_of(self, token_ids: list[int]) -> str:
        """Return the readable text of these tokens, joined from their bytes."""
        return join([token.raw for token in map(self.token, token_ids) if not token.special])

    def key_of(
        self, token: int | str | Candidate | Token, answer: Answer | None = None, cache: Any = None, path: Sequence[Step] = ()
    ) -> int:
        """Return the id of a token. Raises BadToken."""
        return super().key_of(self.token_of(token) if isinstance(token, str) else token)


def checked_text(text: str) -> str:
    """Return the text. Raises InputError for half a surrogate pair, which cannot be encoded."""
    if not text.isascii():
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise InputError("This text contains half a character (a lone surrogate). Delete it and type it again.") from error
    return text


def read_prompt(model: TokenSource, prompt: Prompt, as_chat: bool, cache: Any, arguments: Arguments = NO_ARGUMENTS) -> Beginning:
    """Return what a run of this prompt begins with, with this cache. arguments: of the chat template.

    Raises EmptyPrompt, PromptTooLong, WrongType if the prompt has the wrong type, and the errors of the chat template.
    """
    limits = Limits.from_environment()
    if as_chat and isinstance(prompt, str) and prompt:
        prompt = [{"role": "user", "content": prompt}]
    if isinstance(prompt, list | tuple) and prompt and not any(hasattr(message, "keys") or isinstance(message, str) for message in prompt):
        raise WrongType("A prompt is a text or a list of messages, not a list of token ids. Give the text of these tokens.")
    messages = checked_messages(prompt) if isinstance(prompt, list | tuple) else ()
    text = "\n".join(map(text_of, messages)) if messages else prompt
    arguments = checked_arguments(arguments)
    if arguments and not messages:
        raise WrongType("Only a conversation is written by a chat template, so only it takes arguments of one. Give a list of messages.")
    if not isinstance(text, str):
        raise WrongType("A prompt is a text, not {kind}.", kind=type(text).__name__)
    if not text:
        raise EmptyPrompt("The text is empty. Write a few words first.")
    if len(text) > LONGEST_PROMPT:
        refusal = Message("The text has {count} characters; {model} takes at most {most} tokens. Shorten it.")
        raise PromptTooLong(refusal.with_values(count=len(text), model=model.name, most=model.context_length))
    tokens = model.tokenize_messages(messages, arguments) if messages else model.tokenize(text)
    count = len(tokens)
    if count == 0:
        raise EmptyPrompt("The text is empty. Write a few words first.")
    if count > model.context_length:
        refusal = Message("The text has {count} tokens; {model} takes at most {most}. Shorten it.")
        raise PromptTooLong(refusal.with_values(count=count, model=model.name, most=model.context_length))
    if limits.prompt_tokens and count > limits.prompt_tokens:
        refusal = Message("The prompt has {count} tokens; this app takes at most {most}. Shorten it.")
        raise PromptTooLong(refusal.with_values(count=count, most=limits.prompt_tokens))
    last = text_of(messages[-1]) if messages else text
    return Beginning(last, messages, tokens, as_chat or bool(messages), cache, model, arguments)
