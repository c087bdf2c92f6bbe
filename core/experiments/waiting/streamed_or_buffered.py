"""Compare streaming and buffered delivery of one recorded run: token by token, or the whole answer after a check.

A streamed token is shown early and cannot be taken back. A buffered answer is checked before it is shown, but it is shown late. Times are
the measured times of the run's forward passes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from core.errors import BadSetting
from core.record.step import Step

MOST_WORDS = 50
LONGEST_WORD = 60


@dataclass(frozen=True, slots=True)
class Moment:
    """The stream after one token. seconds: since the request. streamed: the text shown so far; found: a forbidden word in it, or None."""

    index: int
    seconds: float
    streamed: str
    found: str | None


@dataclass(frozen=True, slots=True)
class Delivery:
    """The figures of both ways of delivery. found_at: index of the token that completes a forbidden word; None if there is none.

    first_token, total: seconds. already_seen: the text streamed until the stream stops. Buffered delivery shows nothing if one was found.
    """

    first_token: float
    total: float
    found: str | None
    found_at: int | None
    already_seen: str


def moments(path: Sequence[Step], forbidden: Sequence[str] = ()) -> Iterator[Moment]:
    """Yield the run token by token until it ends or a forbidden word is complete. Raises BadSetting.

    A word is complete only with the next character after it, because "cat" can still become "cattle".
    """
    pattern = _filter(forbidden)
    streamed = ""
    for index, (step, seconds) in enumerate(zip(path, accumulate(step.forward.seconds for step in path), strict=True)):
        streamed += step.text
        last = index == len(path) - 1
        hit = next((m for m in pattern.finditer(streamed) if last or m.end() < len(streamed)), None) if pattern else None
        yield Moment(index, seconds, streamed, hit.group() if hit else None)
        if hit:
            return


def words_of(text: str) -> list[str]:
    """Return the forbidden words in a text, separated by commas or lines. Raises BadSetting for more than 50 words or 60 characters."""
    words = [word.strip() for word in re.split(r"[,\n]", text) if word.strip()]
    _filter(words)
    return words


def _filter(forbidden: Sequence[str]) -> re.Pattern[str] | None:
    words = [word.strip() for word in forbidden if isinstance(word, str) and word.strip()]
    if len(words) > MOST_WORDS or any(len(word) > LONGEST_WORD for word in words):
        raise BadSetting(
            "The filter takes up to {most_words} words of up to {longest_word} characters.",
            most_words=MOST_WORDS,
            longest_word=LONGEST_WORD,
        )
    return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, words)) + r")(?!\w)", re.IGNORECASE) if words else None


def deliver(path: Sequence[Step], forbidden: Sequence[str] = ()) -> Delivery:
    """Return the figures of both ways of delivery, with the effect of a word filter on each. Raises BadSetting."""
    seen = list(moments(path, forbidden))
    total = sum(step.forward.seconds for step in path)
    if not seen:
        return Delivery(0.0, 0.0, None, None, "")
    last = seen[-1]
    return Delivery(
        first_token=seen[0].seconds,
        total=total,
        found=last.found,
        found_at=last.index if last.found else None,
        already_seen=last.streamed,
    )
