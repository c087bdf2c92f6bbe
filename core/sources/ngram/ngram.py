"""N-gram model of a text: how often each token followed the tokens before it.

The probability of a token is its share of what followed the longest context that the text contains. `BACKED_OFF` of it goes to the next
shorter context, so that no token is impossible (Jelinek and Mercer 1980). If 57 tokens followed "time ," in the text, 31 of them "there",
that is 0.99 x 31 / 57 = 54 %, and a little from "," alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path
from sys import getsizeof
from typing import Any

import numpy as np
import torch

from core.device import Stopwatch
from core.errors import BadToken, EmptyPrompt, InputError, ModelError
from core.message import Message, quote
from core.sources.capabilities import Can
from core.sources.ngram import PREFIX
from core.sources.ngram.counts import Counts, check_counts
from core.sources.source import NO_ARGUMENTS, Answer, Arguments, Beginning, Forward, Logits, Prompt, Wanted
from core.sources.token_source import TokenSource, checked_text, read_prompt
from core.tokens.token_text import ByteJoiner, Token, lone_token

STORIES = Path(__file__).parents[2] / "bundled" / "stories" / "stories.txt"
HELD_OUT = STORIES.with_name("held_out.txt")  # stories that no bundled model read
MOST, LONGEST_TEXT, LONGEST_CONTEXT = 4, 2_000_000, 1_000_000  # n; characters; tokens
MOST_COUNTS = 2_000_000  # different counts of a model; each takes 16 bytes
BACKED_OFF = 0.01
END = "end"
UNITS = ("words", "characters")
_BREAK = re.compile(r"(?>\r\n|[\r\n])\s*[\r\n]")  # atomic, because "\r\n" alone ends one line
# Thai, Lao, Tibetan, Burmese, Khmer, Japanese and Chinese. Korean has spaces.
_WITHOUT_SPACES = re.compile(r"[\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff]+")
CLAUSES = Message("The script of this text has no spaces between words, so a whole clause counts as one word. Count characters instead.")


class NGram(TokenSource):
    """The n-gram model of a text, over its words or its characters. A blank line ends a text.

    n: 1 to 4, the number of tokens in a count. unit: "words" or "characters". notes: a sentence if characters suit the text better.
    counts: how often each id followed each context of 0 to n - 1 ids. The last 256 ids are single bytes, for prompts with other words than
    the text. weight_bytes: of counts and tokens. Raises EmptyPrompt, InputError, also for a text with more than `most_counts` different
    counts.
    """

    device, dtype, layer_count, context_length = "cpu", "counts", 0, LONGEST_CONTEXT
    can = frozenset({Can.NEW_TOKENS, Can.TOKEN_IDS, Can.ALL_TOKENS, Can.ALL_SETTINGS, Can.CHOICE, Can.TEXT, Can.FACTS})

    def __init__(self, text: str, n: int = 3, unit: str = "words", name: str = "", most_counts: int = MOST_COUNTS) -> None:
        if type(n) is not int or n not in range(1, MOST + 1) or unit not in UNITS:
            raise InputError("An n-gram model has an n of 1 to {most}, and words or characters as its tokens.", most=MOST)
        if len(text) > LONGEST_TEXT:
            raise InputError("The text has {count} characters; at most {most} can be counted.", count=len(text), most=LONGEST_TEXT)
        parts = self._parts(text.strip(), unit)
        if not parts:
            raise EmptyPrompt("The text is empty. Write a few words first.")
        self.n, self.unit, self.name = n, unit, name or f"{n}-gram of {len(parts):,} {unit}"
        different = Counter(map(_counted, parts))
        check_counts(len(different), most_counts)
        words = [END, *(part for part, _count in different.most_common() if not _BREAK.fullmatch(part))]
        alone = sum(map(len, _WITHOUT_SPACES.findall(text)))
        self.notes = (CLAUSES,) if unit == "words" and 2 * alone > len("".join(text.split())) else ()
        self._ids = {word: index for index, word in enumerate(words) if index}
        raws = [word.encode() for word in words] + [bytes([value]) for value in range(256)]
        self._tokens = [lone_token(index, raw, index == 0) for index, raw in enumerate(raws)]
        self._bytes_from, self.vocabulary_size = len(words), len(raws)
        self.end_token_ids = frozenset({0})
        ids = [0, *(key for part in parts for key in self._keys(part)), 0]
        self.counts = Counts(np.array(ids), n, self.vocabulary_size, most_counts)
        self.parameter_count = len(self.counts)
        self.weight_bytes = self._memory()

    @staticmethod
    def _parts(text: str, unit: str) -> list[str]:
        """Return the words (or characters) of a text; joined they are the text."""
        return pieces_pattern(unit).findall(checked_text(text))

    def _memory(self) -> int:
        """Return the bytes of the counts and tokens."""
        tokens = sum(getsizeof(token) + getsizeof(token.text) + getsizeof(token.piece) + getsizeof(token.raw) for token in self._tokens)
        return self.counts.nbytes + tokens + getsizeof(self._tokens) + getsizeof(self._ids)

    def _keys(self, part: str) -> list[int]:
        """Return the id of a part of a text; of one that the counted text does not contain, those of its bytes."""
        part = _counted(part)
        key = 0 if _BREAK.fullmatch(part) else self._ids.get(part)
        return [key] if key is not None else [self._bytes_from + value for value in part.encode()]

    def token(self, token_id: int) -> Token:
        """Return the token of this id without context. Raises BadToken."""
        if 0 <= token_id < self.vocabulary_size:
            return self._tokens[token_id]
        raise BadToken(
            "Token id {number} does not exist. The ids of this model are 0 to {last}.", number=token_id, last=self.vocabulary_size - 1
        )

    def encode(self, text: str) -> list[int]:
        """Return the ids of a text: of its words (or characters), or of the bytes of a word that the counted text does not contain."""
        return [key for part in self._parts(text, self.unit) for key in self._keys(part)]

    def tokenize(self, text: str) -> list[Token]:
        """Return the tokens of a text; their texts joined are the text."""
        joiner, tokens = ByteJoiner(), []
        for part in self._parts(text, self.unit):
            for token in map(self.token, self._keys(part)):
                as_written = token.special or token.raw == b"\n"  # the end of a line is the token of "\n", also if it is "\r\n" in the text
                tokens.append(replace(token, text=part if as_written else joiner.add(token.raw)))
        return tokens

    def token_of(self, text: str) -> Token:
        """Return the token that is exactly this text. Raises BadToken."""
        ids = self.encode(text) if text else []
        if len(ids) != 1:
            raise BadToken("{text} is not a single token of this model.", text=quote(text[:60]))
        return self.token(ids[0])

    def begin(self, prompt: Prompt, as_chat: bool, arguments: Arguments = NO_ARGUMENTS) -> Beginning:
        """Return what a run of this prompt begins with."""
        return read_prompt(self, prompt, as_chat, None, arguments)

    def contexts(self, keys: np.ndarray) -> list[tuple[int, ...]]:
        """Return the ends of this text that the counted text contains, the empty one first, the longest one last."""
        ends = [tuple(keys[len(keys) - length :].tolist()) for length in range(min(self.n, len(keys) + 1))]
        return [context for context in ends if len(self.counts.after(context)[0])]

    def probabilities(self, keys: np.ndarray) -> np.ndarray:
        """Return the probabilities after these tokens, float64 [vocabulary]; see the formula at the top of this file."""
        shares = np.full(self.vocabulary_size, 1 / self.vocabulary_size)
        for context in self.contexts(keys):
            ids, counts = self.counts.after(context)
            shares *= BACKED_OFF
            shares[ids] += (1 - BACKED_OFF) * counts / counts.sum()
        return shares

    def next(self, keys: np.ndarray, cache: Any, wanted: Wanted, earlier: Answer | None = None) -> Answer:
        """Return the logarithms of the probabilities after these tokens, with the counts behind each of them."""
        if earlier is not None:
            return earlier
        stopwatch = Stopwatch(torch.device("cpu"))
        keys = np.asarray(keys, dtype=np.int64)
        logits = torch.from_numpy(np.log(self.probabilities(keys)).astype(np.float32))
        stopwatch.stop()
        context = self.contexts(keys)[-1]
        return Forward(Logits(logits, fact=lambda token_id: self.fact(context, token_id)), len(keys), 0, 0, 0.0, stopwatch)

    def fact(self, context: tuple[int, ...], token_id: int) -> str:
        """Return how often this token followed the context, as a sentence."""
        ids, counts = self.counts.after(context)
        values = {"count": int(counts[ids == token_id].sum()), "total": int(counts.sum()), "token": quote(self.token(token_id).piece)}
        if not context:
            return Message("{token} is {count} of the text's {total} tokens", **values)
        after = quote("".join(self.token(key).raw.decode("utf-8", "replace") for key in context).strip() or "␣")
        return Message("{token} followed {context} {count} of {total} times", **values, context=after)


def _counted(part: str) -> str:
    """Return the part of a text as it is counted: every end of a line, also that of Windows, is the same token."""
    return "\n" if part in ("\r\n", "\r") else part


@cache
def pieces_pattern(unit: str) -> re.Pattern[str]:
    r"""Return the pattern of a word (or character). Blank lines are one part, and so is each end of a line.

    A word is letters, with "-", "'" or "’" between them. Python's \w has neither combining marks (vowel signs, decomposed accents) nor the
    joiners U+200C and U+200D. They belong to the letter before; after a sign, a joiner also takes the next sign (emoji).
    """
    if unit == "characters":
        return re.compile(rf"{_BREAK.pattern}|\r\n|.", re.DOTALL)
    codes = [*range(0x300, 0x1F000), *range(0xE0100, 0xE01F0)]  # all combining marks of Unicode are in these
    marks = "".join(chr(code) for code in codes if unicodedata.category(chr(code)).startswith("M"))
    after = r"(?![\x00-\u02ff])"  # saves most of the time: there are no marks in Latin
    letters = rf"\w+(?:{after}[{marks}\u200c\u200d]+\w*)*"
    sign = rf"[^\w\s](?:{after}(?:[{marks}]|\u200d[^\w\s]))*"
    return re.compile(rf"{_BREAK.pattern}| ?{letters}(?:['’-]{letters})*| ?--+| ?{sign}|\r\n|\s")


def load_ngram(name: str) -> NGram:
    """Return the n-gram model of the bundled stories with this name: "ngram:3", or "ngram:3:characters". Raises ModelError."""
    n, _colon, unit = name.removeprefix(PREFIX).partition(":")
    if not re.fullmatch(rf"[1-{MOST}]", n) or (unit or "words") not in UNITS:
        raise ModelError("An n-gram model is called ngram:1 to ngram:{most}, or ngram:3:characters.", most=MOST)
    return NGram(STORIES.read_text("utf-8"), int(n), unit or "words", name)
