"""Write many different sentences from one line of text.

The lessons are small grammars: `[big|small|tiny]` is replaced by one of its parts (they may nest), and `{name}` by a value that
the lesson has drawn. The hold-out rule is here too, because all lessons use it: a combination of values belongs to the training
text or to the evaluation, always and on every machine.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping
from random import Random
from typing import TypeVar

T = TypeVar("T", bound=tuple[object, ...])

_INNERMOST = re.compile(r"\[([^\[\]]*)\]")
_WRONG_ARTICLE = re.compile(r"\b([Aa]) (?=[aeiouAEIOU](?!ne\b|uro|se[df]|ni[cfqtv])|hones|hour)")

HELD_OUT_ONE_IN = 12


def held_out(*parts: object) -> bool:
    """True when this combination belongs to the evaluation (about one in twelve). It does not depend on the seed or the machine.

    >>> held_out("France", 0) == held_out("France", 0)
    True
    """
    key = "|".join(str(part) for part in parts)
    # One round of crc32 is linear in its input, so that neighbouring sums would fall together; the multiplication breaks that.
    return (zlib.crc32(key.encode()) * 2654435761 >> 12) % HELD_OUT_ONE_IN == 0


def draw(exam: bool, combination: Callable[[], T], tries: int = 2000) -> T:
    """Draw combinations until one is on the wanted side of the hold-out rule. Raises RuntimeError after `tries` draws."""
    for _ in range(tries):
        values = combination()
        if held_out(*values) == exam:
            return values
    raise RuntimeError(f"no {'held-out' if exam else 'training'} combination in {tries} draws")


def expand(rng: Random, text: str, slots: Mapping[str, str] | None = None) -> str:
    """Choose one part of every bracket, fill in the slots, and replace "a" by "an" where needed.

    >>> expand(Random(0), "a {thing}", {"thing": "apple"})
    'an apple'
    """
    while _INNERMOST.search(text):
        text = _INNERMOST.sub(lambda match: rng.choice(match[1].split("|")), text)
    if slots:
        text = text.format_map(slots)
    return article(text)


def article(text: str) -> str:
    """Turn "a apple" into "an apple"; leaves "a unicorn" and "a used one" alone."""
    return _WRONG_ARTICLE.sub(lambda match: match[1] + "n ", text)


def capital(text: str) -> str:
    """Raise the first letter and leave the others."""
    return text[:1].upper() + text[1:]


def listing(items: list[str], word: str = "and") -> str:
    """Join as people do: "a, b and c"."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} {word} {items[-1]}"
