"""Streaming against buffered delivery of one recorded run: word by word, or whole after a check.

A stream is seen early and cannot be taken back; a whole answer is checked first and seen late. Times are those of the run's own forward
passes, as they were measured.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from core.errors import BadSetting
from core.language import _
from core.record.step import Step

MOST_WORDS = 50
LONGEST_WORD = 60


@dataclass(frozen=True, slots=True)
class Moment:
    """One token has come. seconds: since the question. streamed: what a reader of the stream has seen; found: a forbidden word in it."""

    index: int
    seconds: float
    streamed: str
    found: str | None


@dataclass(frozen=True, slots=True)
class Delivery:
    """Both ways in numbers. found_at: index of the token with which a forbidden word was complete; None if there is none.

    first_token, total: seconds. stopped: seconds until the stream is cut. already_seen: what its reader had seen by then.
    shown_whole: what the reader of the whole answer gets: all of it, or nothing.
    """

    first_token: float
    total: float
    found: str | None
    found_at: int | None
    stopped: float
    already_seen: str
    shown_whole: str


def moments(path: Sequence[Step], forbidden: Sequence[str] = ()) -> Iterator[Moment]:
    """The run as a stream, token by token, until it ends or a forbidden word is complete. Raises BadSetting.

    A word is complete only when what follows it is there: nobody knows before that "cat" will not be "cattle".
    """
    pattern = _filter(forbidden)
    streamed = ""
    for place, (step, seconds) in enumerate(zip(path, accumulate(step.forward.seconds for step in path), strict=True)):
        streamed += step.text
        last = place == len(path) - 1
        hit = next((m for m in pattern.finditer(streamed) if last or m.end() < len(streamed)), None) if pattern else None
        yield Moment(place, seconds, streamed, hit.group() if hit else None)
        if hit:
            return


def words_of(text: str) -> list[str]:
    """The forbidden words a visitor typed, separated by commas or lines. Raises BadSetting if they are too many or too long."""
    found = [word.strip() for word in re.split(r"[,\n]", text) if word.strip()]
    _filter(found)
    return found


def _filter(forbidden: Sequence[str]) -> re.Pattern[str] | None:
    words = [word.strip() for word in forbidden if isinstance(word, str) and word.strip()]
    if len(words) > MOST_WORDS or any(len(word) > LONGEST_WORD for word in words):
        raise BadSetting(
            _("The filter takes up to {most_words} words of up to {longest_word} characters.").format(
                most_words=MOST_WORDS, longest_word=LONGEST_WORD
            )
        )
    return re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, words)) + r")(?!\w)", re.IGNORECASE) if words else None


def deliver(path: Sequence[Step], forbidden: Sequence[str] = ()) -> Delivery:
    """Both ways at once: when the first token and when the whole answer is there, and what a filter can still do. Raises BadSetting."""
    seen = list(moments(path, forbidden))
    total = sum(step.forward.seconds for step in path)
    if not seen:
        return Delivery(0.0, 0.0, None, None, 0.0, "", "")
    last = seen[-1]
    whole = "".join(step.text for step in path)
    return Delivery(
        first_token=seen[0].seconds,
        total=total,
        found=last.found,
        found_at=last.index if last.found else None,
        stopped=last.seconds if last.found else total,
        already_seen=last.streamed,
        shown_whole="" if last.found else whole,
    )
