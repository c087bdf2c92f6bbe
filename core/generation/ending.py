"""Why a run ends: the source's end token, a stop text, enough tokens, a loop, a fulfilled constraint, a full context, too little memory.

And where its thoughts end: at their own mark, or by force when they have used up their budget.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from core.chat.thoughts import Marks, open_thought
from core.checked_number import whole_number
from core.errors import BadSetting
from core.generation import loops
from core.message import Message
from core.record.step import Step, Vocabulary
from core.sources.capabilities import Can
from core.sources.source import Source

MOST_TEXTS, LONGEST_TEXT = 40, 200  # texts; characters
MOST_TOKENS = 10_000_000
FEWEST_COPIES, MOST_COPIES = 2, 100


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a run ends by request. texts: it ends with the token that completes one. tokens: new tokens at most; 0 for no limit.

    copies: it ends with the token that completes so many copies of the same tokens (`loops.find`); 0 for never.
    thoughts: tokens of thoughts at most, after which `thoughts_end` is written by force; None for no limit. thoughts_end: "" for the
    closing mark of the thought. With a text of one's own the thoughts begin with the first new token, so no marks are needed.
    """

    texts: tuple[str, ...] = ()
    tokens: int = 0
    copies: int = 0
    thoughts: int | None = None
    thoughts_end: str = ""

    @classmethod
    def checked(
        cls, texts: Iterable[str], tokens: int, copies: int = 0, thinking_budget: int | None = None, thinking_end: str = ""
    ) -> Stop:
        """Return the rule. Raises BadSetting for an empty or too long text, too many of them, or an impossible number."""
        listed = [texts] if isinstance(texts, str) else list(texts)
        if len(listed) > MOST_TEXTS or not all(isinstance(text, str) and 0 < len(text) <= LONGEST_TEXT for text in listed):
            raise BadSetting("Stop texts are at most {count} texts of 1 to {most} characters.", count=MOST_TEXTS, most=LONGEST_TEXT)
        copies = whole_number(copies, "stop_on_loop", 0, MOST_COPIES)
        if copies and copies < FEWEST_COPIES:
            raise BadSetting("A loop has at least {fewest} copies; 0 does not stop at one.", fewest=FEWEST_COPIES)
        if thinking_budget is not None:
            thinking_budget = whole_number(thinking_budget, "thinking_budget", 0, MOST_TOKENS)
        if not isinstance(thinking_end, str) or len(thinking_end) > LONGEST_TEXT:
            raise BadSetting("The text that ends thoughts has at most {most} characters.", most=LONGEST_TEXT)
        return cls(tuple(listed), whole_number(tokens, "most_new_tokens", 0, MOST_TOKENS), copies, thinking_budget, thinking_end)

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments of a `Generation` that ends so."""
        numbers = {"most_new_tokens": self.tokens, "stop_on_loop": self.copies}
        return {"stop": list(self.texts)} | numbers | {"thinking_budget": self.thoughts, "thinking_end": self.thoughts_end}

    def reached(self, path: Sequence[Step], keys: np.ndarray, vocabulary: Vocabulary) -> Message | None:
        """Return "stop text", "loop" or "enough tokens" if the newest step of this path ends the run, else None.

        keys: of the tokens of the path, int64 [tokens].
        """
        if self.texts and path and self._completes(path, vocabulary):
            return Message("stop text")
        if self.copies and loops.find(keys, self.copies):
            return Message("loop")
        return Message("enough tokens") if self.tokens and len(path) >= self.tokens else None

    def end_of_thoughts(
        self, before: bytes, path: Sequence[Step], vocabulary: Vocabulary, marks: Iterable[Marks], encode: Callable[[str], list[int]]
    ) -> int | None:
        """Return the token that must come next because the thoughts have used up their budget; None if they have not, or have ended.

        before: what the prompt has after the last message, which may open a thought. encode: returns the tokens of a text.
        """
        if self.thoughts is None or len(path) < self.thoughts:
            return None
        written = [step.raw for step in path]
        if self.thoughts_end:
            budgeted = None if self.thoughts_end.encode() in b"".join(written) else (len(path), self.thoughts_end)
        else:
            thought = open_thought(before, written, marks)
            budgeted = None if thought is None else (thought[0], thought[1].closing)
        if budgeted is None or budgeted[0] < self.thoughts:
            return None
        count, end = budgeted
        ids = without_marks_around(encode(end), end, vocabulary)
        keys = [step.key for step in path[len(path) - count + self.thoughts :]]
        begun = next((n for n in range(min(len(ids) - 1, len(keys)), 0, -1) if keys[-n:] == ids[:n]), 0)
        return ids[begun] if ids else None

    def _completes(self, path: Sequence[Step], vocabulary: Vocabulary) -> bool:
        """Return whether the newest token completes a text, which may have begun in tokens before it."""
        newest, before = _raw(path[-1], vocabulary), b""
        texts = [text.encode("utf-8", "replace") for text in self.texts]
        longest = max(map(len, texts))
        for step in reversed(path[:-1]):
            if len(before) >= longest - 1:
                break
            before = _raw(step, vocabulary) + before
        for text in texts:
            tail = before[-(len(text) - 1) :] if len(text) > 1 else b""
            if text in tail + newest:
                return True
        return False


def without_marks_around(ids: list[int], text: str, vocabulary: Vocabulary) -> list[int]:
    """Return the tokens of a text without those that a tokenizer puts before and after every text."""
    tokens = [vocabulary.token(token_id) for token_id in ids]
    raw = text.encode()
    is_text = [not token.special or token.raw in raw for token in tokens]
    return [token_id for token_id, belongs in zip(ids, is_text, strict=True) if belongs]


def _raw(step: Step, vocabulary: Vocabulary) -> bytes:
    token = vocabulary.token(step.key)
    return b"" if token.special else token.raw


def why_ended(
    source: Source,
    path: Sequence[Step],
    keys: np.ndarray,
    cache: Any,
    vocabulary: Vocabulary,
    stop: Stop,
    *,
    is_fulfilled: Callable[[], bool],
    tokens: int,
    most_tokens: int,
    out_of_memory: bool,
) -> str | None:
    """Return why a run has ended after this path; None if it can continue.

    "end of text", "stop text", "loop", "enough tokens", "constraint fulfilled" (for a model without an end token), "context full",
    "limit reached" or "out of memory", or why a recording ends. keys: of the tokens of the path, int64 [tokens]. tokens: of prompt and
    path; most_tokens: the limit of this app, 0 for none.
    """
    if (ended := source.ending(path, cache)) or Can.NEW_TOKENS not in source.can:
        return ended
    if asked := stop.reached(path, keys, vocabulary):
        return asked
    if not source.end_token_ids and is_fulfilled():
        return Message("constraint fulfilled")
    if source.context_length and tokens >= source.context_length:
        return Message("context full")
    if most_tokens and tokens >= most_tokens:
        return Message("limit reached")
    return Message("out of memory") if out_of_memory else None
