"""What is hidden together: words, sentences, or a passage, as spans of tokens."""

from __future__ import annotations

from collections.abc import Sequence

from core.inspection.attribution.occlusion import Span
from core.tokens.tokens import Token

ENDS = frozenset(".!?…。！？\n")


def word_spans(tokens: Sequence[Token]) -> tuple[Span, ...]:
    """Return the spans of words. Punctuation is a unit of its own, a space belongs to the word after it, special tokens to none."""
    starts: list[int] = []
    for place, token in enumerate(tokens):
        before = tokens[place - 1] if place else None
        same = before is not None and not before.special and not token.special and _inside_word(before.text, token.text)
        if not same:
            starts.append(place)
    return _without_special(_spans(starts, len(tokens)), tokens)


def sentence_spans(tokens: Sequence[Token]) -> tuple[Span, ...]:
    """Return the spans of sentences. A sentence ends with its full stop, or with the line. Special tokens belong to none."""
    starts: list[int] = []
    ended = True
    for place, token in enumerate(tokens):
        closing = token.text.strip() and all(letter in ENDS or letter in "\"'”’)" for letter in token.text.strip())
        if token.special or (ended and not closing):
            starts.append(place)
        ended = token.special or (bool(token.text) and (token.text.strip() or token.text)[-1] in ENDS)
        if closing and any(letter in "\"'”’)" for letter in token.text) and not any(letter in ENDS for letter in token.text):
            ended = place > 0 and tokens[place - 1].text.strip()[-1:] in ENDS
    return _without_special(_spans(starts, len(tokens)), tokens)


def joined(spans: Sequence[Span], most: int) -> list[list[Span]]:
    """Return neighbouring spans in at most `most` groups of equal size."""
    size = max(1, -(-len(spans) // most))
    return [list(spans[start : start + size]) for start in range(0, len(spans), size)]


def _inside_word(before: str, text: str) -> bool:
    """Return whether a token continues the word of the token before it."""
    if not text or not before:  # a part of a character
        return True
    return not text[0].isspace() and (text[0].isalnum() or text[0] in "'’") and (before[-1].isalnum() or before[-1] in "'’")


def _spans(starts: Sequence[int], count: int) -> list[Span]:
    return list(zip(starts, [*starts[1:], count], strict=True)) if starts else []


def _without_special(spans: Sequence[Span], tokens: Sequence[Token]) -> tuple[Span, ...]:
    """Return the spans without those of a single special token."""
    return tuple((start, stop) for start, stop in spans if not (stop - start == 1 and tokens[start].special))
