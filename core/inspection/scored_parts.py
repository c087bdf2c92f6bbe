"""How sure the model was of each word of a `ScoredText`, and of each value in its JSON: products of the probabilities of tokens."""

from __future__ import annotations

import json
import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any

from core.sources.ngram.ngram import pieces_pattern

DEEPEST = 64  # objects and lists within each other
LONGEST_NAME = 80  # characters
_LEXEME = re.compile(r'[ \t\r\n]*+(?:([{}\[\],:])|"((?:[^"\\]|\\.)*+)("?)|([-+.\w]++))', re.DOTALL)
_SCALAR = re.compile(r"-?(?:0|[1-9]\d*+)(?:\.\d++)?(?:[eE][+-]?\d++)?|true|false|null", re.ASCII)
_OPENING = re.compile(r"[{\[]")
Place = tuple[str, int, int, bool]  # a name, the first character, the one after the last, and whether the text ends before the part


@dataclass(frozen=True, slots=True)
class ScoredPart:
    """A word or a value of a text.

    name: of a value, where it stands: `user.name`, `items[2]`, with a number if the name is doubled; "" for a word. text: as it is written.
    start, stop: its tokens. probability: the product of their probabilities, each after all tokens before it. lowest_token: the piece of
    the token with the lowest one, lowest_probability. others: the probability that the text went on with another listed token instead of
    one of these; NaN if no other was listed. other: the likeliest of those tokens, which can also begin the same part.
    begins_inside, ends_inside: the first or the last token also has letters or signs outside of the part. cut: the text ends within it.
    """

    name: str
    text: str
    start: int
    stop: int
    probability: float
    lowest_token: str
    lowest_probability: float
    others: float
    other: str
    begins_inside: bool
    ends_inside: bool
    cut: bool


def words(scored: Any) -> tuple[ScoredPart, ...]:
    """Return the words of a text, least sure first. Words with a token that was not measured are left out.

    A word is a run of letters, marks and digits, with apostrophes and hyphens inside; in a script without spaces it is a clause. Its
    probability is that of its letters, whatever follows: "fox" also counts a text that goes on to "foxes".
    """
    text = "".join(_texts(scored))
    blanks = ((match, len(match[0]) - len(match[0].lstrip())) for match in pieces_pattern("words").finditer(text))
    places = ((match.start() + blank, match.end()) for match, blank in blanks if re.match(r"\w", match[0][blank:]))
    return _parts(scored, text, (("", start, stop, False) for start, stop in places))


def fields(scored: Any) -> tuple[ScoredPart, ...]:
    """Return the texts, numbers, true, false and null of all JSON in a text, least sure first, without those that were not measured.

    A value in quotes counts with its closing quote and without its opening one. JSON that is cut or goes wrong is read up to there.
    """
    text = "".join(_texts(scored))
    return _parts(scored, text, json_places(text))


def _texts(scored: Any) -> list[str]:
    return ["" if token.special else token.text for token in scored.written]


def _parts(scored: Any, text: str, places: Iterable[Place]) -> tuple[ScoredPart, ...]:
    """Return the measured parts at these places of the text, least sure first."""
    begins = [0, *accumulate(map(len, _texts(scored)))]  # in characters; a token within a character has no text
    parts = []
    for name, start, stop, cut in places:
        first, last = bisect_left(begins, start + 1) - 1, bisect_left(begins, stop)
        while begins[first] == start and first and begins[first - 1] == start and not scored.written[first - 1].special:
            first -= 1  # the first character can have several tokens
        tokens = [token for token in scored.tokens[first:last] if not scored.written[token.position].special]
        if tokens and all(token.probability is not None and not math.isnan(token.probability) for token in tokens):
            inside = bool(text[begins[first] : start].strip()), bool(text[stop : begins[last]].strip())
            parts.append(_part(name, text[start:stop] if cut else text[start:stop].removesuffix('"'), tokens, inside, cut))
    return tuple(sorted(parts, key=lambda part: part.probability))


def _part(name: str, text: str, tokens: Sequence[Any], inside: tuple[bool, bool], cut: bool) -> ScoredPart:
    reached, others, other, most = 1.0, 0.0, "", 0.0
    lowest = min(tokens, key=lambda token: token.probability)
    for token in tokens:
        for guess in token.candidates:
            if guess.token_id != token.token_id:
                share = reached * guess.model_probability
                others += share
                other, most = (guess.piece, share) if share > most else (other, most)
        reached *= token.probability
    start, stop = tokens[0].position, tokens[-1].position + 1
    seen = (lowest.piece, lowest.probability, others if other else math.nan, other)
    return ScoredPart(name, text, start, stop, reached, *seen, *inside, cut)


def json_places(text: str) -> Iterator[Place]:
    """Yield the name and the place of each value in all JSON of a text. Each character is read once."""
    place, counts = 0, Counter[str]()
    while opening := _OPENING.search(text, place):
        place = opening.start()
        reader = _Json(text, place)
        for name, start, stop, cut in reader.places():
            counts[name] += 1
            yield f"{name} ({counts[name]})" if counts[name] > 1 else name, start, stop, cut
        place = max(reader.place, place + 1)


@dataclass
class _Json:
    """Reads one JSON text from a bracket on, without recursion. place: how far it has read."""

    text: str
    place: int

    def places(self) -> Iterator[Place]:
        """Yield its values up to its end, or up to what is no JSON."""
        names: list[str | int] = []  # of the value that is expected: a key of each object, a number in each list
        expected = "value"  # or "key", "colon", "comma"
        while len(names) <= DEEPEST and (match := _LEXEME.match(self.text, self.place)):
            mark, inside, closing, bare = match.groups()
            is_key = expected == "key" and closing
            if mark and mark in "{[" and expected == "value":
                names.append("" if mark == "{" else 0)
                expected = "key" if mark == "{" else "value"
            elif mark and mark in "}]" and names and expected != "colon" and (mark == "}") == isinstance(names[-1], str):
                names.pop()
                expected = "comma"
            elif mark == "," and names and expected == "comma":
                last = names[-1]
                names[-1], expected = (last, "key") if isinstance(last, str) else (last + 1, "value")
            elif mark == ":" and expected == "colon":
                expected = "value"
            elif is_key:
                names[-1], expected = _key(inside), "colon"
            elif expected == "value" and not mark and (inside is not None or _SCALAR.fullmatch(bare)):
                cut = not closing if bare is None else match.end() == len(self.text)
                start = match.start(4 if bare else 2)
                if start < match.end():  # not a value of which only the opening quote is there
                    yield _name(names), start, match.end(), cut
                expected = "comma"
            else:
                return
            self.place = match.end()
            if not names:
                return


def _key(written: str) -> str:
    """Return a key that is written in JSON."""
    try:
        return str(json.loads(f'"{written}"', strict=False))[:LONGEST_NAME]
    except ValueError:  # an escape that JSON does not know
        return written[:LONGEST_NAME]


def _name(names: Sequence[str | int]) -> str:
    """Return where a value stands: `user.name`, `items[2]`; the end of a long name."""
    name = "".join(f"[{name}]" if isinstance(name, int) else f".{name}" for name in names).removeprefix(".")
    return name if len(name) <= LONGEST_NAME else f"…{name[1 - LONGEST_NAME :]}"
