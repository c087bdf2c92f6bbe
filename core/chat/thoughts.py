"""Thinking: the part of an answer between the marks that a chat template has for it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate


@dataclass(frozen=True, slots=True)
class Marks:
    """opening, closing: the texts around a thought. known_by: what a chat template contains if its model writes them."""

    opening: str
    closing: str
    known_by: str


# By tag: DeepSeek, Qwen and many others; Magistral; Seed; some older ones; Command A; gpt-oss; Kimi.
MARKS = (
    Marks("<think>", "</think>", "</think>"),
    Marks("[THINK]", "[/THINK]", "[/THINK]"),
    Marks("<seed:think>", "</seed:think>", "</seed:think>"),
    Marks("<thinking>", "</thinking>", "</thinking>"),
    Marks("<|START_THINKING|>", "<|END_THINKING|>", "<|END_THINKING|>"),
    Marks("<|channel|>analysis<|message|>", "<|end|><|start|>assistant<|channel|>final<|message|>", "<|channel|>analysis"),
    Marks("◁think▷", "◁/think▷", "◁/think▷"),
)


USUAL_END = " So the answer is"  # ends the thoughts of a model whose template has no marks


@dataclass(frozen=True, slots=True)
class Thought:
    """A thought in an answer. first, end: its tokens, the marks included. closed: whether its closing mark was written."""

    first: int
    end: int
    closed: bool


def marks_of(template: str) -> tuple[Marks, ...]:
    """Return the marks that this chat template has.

    >>> [one.opening for one in marks_of("{{ content.split('</think>')[-1] }}")]
    ['<think>']
    """
    return tuple(mark for mark in MARKS if mark.known_by in template)


def without_thought(content: str) -> str:
    """Return what an answer says after its last thought. Templates leave thoughts out of earlier answers.

    >>> without_thought("<think>He greets me.</think>Hello!"), without_thought("Hello!")
    ('Hello!', 'Hello!')
    """
    return content[max((at + len(mark.closing) for mark in MARKS if (at := content.rfind(mark.closing)) >= 0), default=0) :]


def thought_of(content: str) -> str:
    """Return the text of the first thought in an answer, "" without one.

    >>> thought_of("<think>He greets me.</think>Hello!")
    'He greets me.'
    """
    first = min(((at, mark) for mark in MARKS if (at := content.find(mark.opening)) >= 0), key=lambda pair: pair[0], default=None)
    return "" if first is None else content[first[0] + len(first[1].opening) :].partition(first[1].closing)[0]


def open_thought(before: bytes, token_bytes: Sequence[bytes], marks: Iterable[Marks]) -> tuple[int, Marks] | None:
    """Return how many tokens the thought has that is still open, without its mark, and its marks; None if none is open.

    before, token_bytes: as in `thoughts_in`.

    >>> open_thought(b"", [b"<think>", b"He", b" greets"], MARKS)[0]
    2
    """
    text, ends = before + b"".join(token_bytes), list(accumulate(map(len, token_bytes), initial=len(before)))[1:]
    opened = [(at + len(mark.opening.encode()), mark) for mark in marks if (at := text.rfind(mark.opening.encode())) >= 0]
    start, mark = max(opened, key=lambda pair: pair[0], default=(0, None))
    if mark is None or text.find(mark.closing.encode(), start) >= 0:
        return None
    return sum(end > start for end in ends), mark


def thoughts_in(before: bytes, token_bytes: Sequence[bytes], marks: Iterable[Marks]) -> tuple[Thought, ...]:
    """Return the thoughts in an answer. token_bytes: the bytes of its tokens. before: the end of the prompt, which may open a thought.

    >>> thoughts_in(b"", [b"<think>", b"He", b"</think>", b"Hello"], MARKS)
    (Thought(first=0, end=3, closed=True),)
    """
    pairs = [(mark.opening.encode(), mark.closing.encode()) for mark in marks]
    text, ends, thoughts = before + b"".join(token_bytes), list(accumulate(map(len, token_bytes), initial=len(before)))[1:], list[Thought]()
    position = 0
    while places := [(at, opening, closing) for opening, closing in pairs if (at := text.find(opening, position)) >= 0]:
        start, opening, closing = min(places)
        at = text.find(closing, start + len(opening))
        position = len(text) if at < 0 else at + len(closing)
        if position > len(before):  # else the prompt contains the whole thought
            thoughts.append(Thought(bisect_right(ends, max(start, len(before))), bisect_left(ends, position) + 1, at >= 0))
    return tuple(thoughts)
