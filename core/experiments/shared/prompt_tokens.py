"""The tokens of a prompt, or the reason why an experiment cannot use it."""

from __future__ import annotations

from core.errors import EmptyPrompt, PromptTooLong
from core.sources.capabilities import Can, require
from core.sources.token_source import TokenSource


def encoded(model: TokenSource, text: str) -> list[int]:
    """Return the tokens of a text. Raises EmptyPrompt, and NotForThisModel for a source without token ids."""
    require(model, Can.NEW_TOKENS, Can.TOKEN_IDS)
    ids = model.encode(text) if text else []
    if not ids:
        raise EmptyPrompt("The text is empty. Write a few words first.")
    return ids


def prompt_ids(model: TokenSource, prompt: str) -> list[int]:
    """Return the tokens of a prompt that leaves room for at least one more token. Raises EmptyPrompt, PromptTooLong."""
    ids = encoded(model, prompt)
    if len(ids) >= model.context_length:
        raise PromptTooLong(
            "The text has {count} tokens; {model} takes at most {most}. Shorten it.",
            count=len(ids),
            model=model.name,
            most=model.context_length,
        )
    return ids
