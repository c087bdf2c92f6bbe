"""The tokens of a text that continues another text."""

from __future__ import annotations

from core.errors import BadToken, EmptyPrompt
from core.sources.token_source import TokenSource

LONGEST_WORD = 200  # characters of a text that is forced at the start of a branch


def continuation(model: TokenSource, before: str, text: str) -> list[int]:
    """Return the tokens of `text` as a continuation of `before`. Raises EmptyPrompt, BadToken, InputError."""
    if not isinstance(text, str) or not text:
        raise EmptyPrompt("The branch is empty. Write a word first.")
    if len(text) > LONGEST_WORD:
        raise BadToken("A branch begins with at most {longest_word} characters, not {count}.", longest_word=LONGEST_WORD, count=len(text))
    for anchor in (before, "\n", ""):  # if the last word would merge with this text, it is tokenized as on a new line
        base, joined = (_without_marks(model, model.encode(string)) if string else [] for string in (anchor, anchor + text))
        if len(joined) > len(base) and joined[: len(base)] == base:
            return joined[len(base) :]
    raise EmptyPrompt("The branch is empty. Write a word first.")


def _without_marks(model: TokenSource, token_ids: list[int]) -> list[int]:
    """Return the ids without special tokens, which a tokenizer adds around a text."""
    return [token_id for token_id in token_ids if not model.token(token_id).special]
