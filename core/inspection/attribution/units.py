"""What is hidden together: words, sentences, or a passage, as spans of tokens."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence

from core.inspection.attribution.occlusion import Span
from core.tokens.token_text import Token

_END = re.compile(r"(?<![.!?…。！？])[.!?…。！？]++[\"'”’)\]]*+(?=\s|$)\n*|\n+")  # each run of marks is read once


def word_spans(tokens: Sequence[Token]) -> tuple[Span, ...]:
    """Return the spans of words. Punctuation is a unit of its own, a space belongs to the word after it, special tokens to none."""
    starts: list[int] = []
    for index, token in enumerate(tokens):
        before = tokens[index - 1] if index else None
        same = before is not None and not before.special and not token.special and _inside_word(before.text, token.text)
        if not same:
            starts.append(index)
    return _without_special(_spans(starts, len(tokens)), tokens)


def sentence_spans(tokens: Sequence[Token]) -> tuple[Span, ...]:
    """Return the spans of sentences, which end with a full stop and closing quotes, or with the line. Special tokens belong to none."""
    text = "".join("" if token.special else token.text for token in tokens)
    ends = [match.end() for match in _END.finditer(text)]
    starts, place_in_text, last = list[int](), 0, -1
    for index, token in enumerate(tokens):
        sentence = bisect_right(ends, place_in_text)
        if token.special or sentence != last:
            starts.append(index)
        last = -1 if token.special else sentence
        place_in_text += 0 if token.special else len(token.text)
    return _without_special(_spans(starts, len(tokens)), tokens)


def joined(spans: Sequence[Span], most: int) -> list[list[Span]]:
    """Return neighbouring spans in at most `most` groups of equal size."""
    size = max(1, -(-len(spans) // most))
    return [list(spans[start : start + size]) for start in range(0, len(spans), size)]


def _inside_word(before: str, text: str) -> bool:
    """Return whether a token continues the word of the token before it."""
    if not text or not before:  # a part of a character
        return True
    if before.isspace() and "\n" not in before:  # a space that is a token of its own belongs to the word after it
        return not text[0].isspace()
    return not text[0].isspace() and (text[0].isalnum() or text[0] in "'’") and (before[-1].isalnum() or before[-1] in "'’")


def _spans(starts: Sequence[int], count: int) -> list[Span]:
    return list(zip(starts, [*starts[1:], count], strict=True)) if starts else []


def _without_special(spans: Sequence[Span], tokens: Sequence[Token]) -> tuple[Span, ...]:
    """Return the spans without those of a single special token."""
    return tuple((start, stop) for start, stop in spans if not (stop - start == 1 and tokens[start].special))
