"""Facts that a child knows, each stated in several phrasings: capitals, animals, colours, opposites, days, the body, the sky.

A fact is (kind, key, values); a phrasing is a template. Held out are pairs of key and phrasing: every fact is taught, but some of its
phrasings only appear in the evaluation. The plainest phrasing of each kind (number 0) is always taught. Held out too are whole kinds of
wording (`NEVER_TAUGHT`): no fact at all is taught in them.
"""

from __future__ import annotations

from itertools import pairwise
from random import Random

from core.experiments.shared.questions.grammar import article, capital, held_out
from core.experiments.shared.questions.words import FACTS as TEXTS
from core.experiments.shared.questions.words import WORDS

PHRASINGS: dict[str, list[str]] = TEXTS["phrasings"]

# Taught, but never marked: after "Open and" a hundred words are right.
_AMBIGUOUS = {("opposite", 3)}
# In these "A" is a letter and never an article.
_LETTERS = ("after", "before")
# How often a kind of fact is drawn: the many capitals need more turns than the few seasons.
_WEIGHTS = {
    "capital": 8, "country": 4, "continent": 3, "sound": 4, "young": 2, "home": 2, "legs": 3, "colour": 4, "colours": 2, "opposite": 15,
    "after": 19, "before": 17, "next": 7, "last": 7, "is": 3, "qa": 2.5,
}  # fmt: skip


def _both_ways(pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Opposites of opposites too, the first one where there are two ("short")."""
    keys = {key for key, _ in pairs}
    back: dict[str, str] = {}
    for key, value in pairs:
        if value not in keys:
            back.setdefault(value, key)
    return pairs + list(back.items())


def _build() -> dict[str, list[tuple[str, str]]]:
    order = [WORDS["days"], WORDS["months"], WORDS["numbers"], WORDS["seasons"], list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")]
    after = [pair for row in order for pair in pairwise(row)] + [("Sunday", "Monday"), ("December", "January"), ("winter", "spring")]
    capitals = {country: city for countries in TEXTS["atlas"].values() for country, city in countries.items()}
    pairs = {kind: [(key, value) for key, value in rows] for kind, rows in TEXTS["pairs"].items()}
    built = pairs | {
        "capital": list(capitals.items()),
        "country": [(city, country) for country, city in capitals.items()],
        "continent": [(country, continent) for continent, countries in TEXTS["atlas"].items() for country in countries],
        "opposite": _both_ways(pairs["opposite"]),
        "after": after,
        "before": [(b, a) for a, b in after],
        "next": [pair for pair in after if pair[0] in NOUNS],
        "last": [(b, a) for a, b in after if b in NOUNS],
    }
    return {kind: built[kind] for kind in _WEIGHTS}


# What a day, a month and a season are called together.
NOUNS = {name: noun for noun, names in (("day", WORDS["days"]), ("month", WORDS["months"]), ("season", WORDS["seasons"])) for name in names}
FACTS = _build()


def statement(kind: str, key: str, value: str, phrasing: int) -> str:
    """One fact in one of its phrasings.

    >>> statement("capital", "France", "Paris", 0)
    'The capital of France is Paris.'
    """
    return _said(kind, PHRASINGS[kind][phrasing], key, value)


def _said(kind: str, wording: str, key: str, value: str) -> str:
    text = wording.format(k=key, K=capital(key), v=value, V=capital(value), w=NOUNS.get(key, "thing"))
    return text if kind in _LETTERS else article(text)


def taught(kind: str, key: str, phrasing: int) -> bool:
    """True when this fact in this phrasing belongs to the training text. One answer has one key, so "Sunday" may occur twice."""
    return phrasing == 0 or not held_out(kind, key, phrasing)


def held_out_facts(plain: bool = False) -> list[tuple[str, str, str]]:
    """All held-out (kind, text before the answer, answer), in a fixed order; with `plain`, every fact in its plainest phrasing instead."""
    items = []
    for kind, pairs in FACTS.items():
        # "no legs" and facts with several right ends ("the sun rises", "the sun sets") cannot be marked by rank 1.
        keys = [key for key, _ in pairs]
        for key, value in pairs:
            if kind in ("is", "qa") or keys.count(key) > 1:
                continue
            statements = [statement(kind, key, value, phrasing) for phrasing in range(len(PHRASINGS[kind]))]
            for phrasing, text in enumerate(statements):
                wanted = phrasing == 0 if plain else not taught(kind, key, phrasing)
                if not wanted or (kind, phrasing) in _AMBIGUOUS:
                    continue
                answer = next(form for form in (value, capital(value)) if text.rfind(form) > 0)
                before = text[: text.rfind(answer)].rstrip()
                # "What comes after May? June." and "What comes after May? After May comes June." begin alike: both are right.
                if not any(other.startswith(before) and not other.startswith(f"{before} {answer}") for other in statements):
                    items.append((kind, before, answer))
    return items


def facts(rng: Random, exam: bool = False) -> str:
    """A handful of facts, one after another, about one subject or about many."""
    kinds = list(_WEIGHTS)
    kind = rng.choices(kinds, list(_WEIGHTS.values()))[0]
    one_subject, one_phrasing = rng.random() < 0.5, rng.random() < 0.3
    lines: list[str] = []
    phrasing = None
    wanted = rng.choice([1, 1, 2, 3, 4, 6])
    while len(lines) < wanted:
        if not one_subject:
            kind = rng.choices(kinds, list(_WEIGHTS.values()))[0]
        key, value = rng.choice(FACTS[kind])
        if phrasing is None or not one_phrasing or phrasing >= len(PHRASINGS[kind]):
            phrasing = 0 if rng.random() < 0.25 else rng.randrange(len(PHRASINGS[kind]))
        if taught(kind, key, phrasing) != exam:
            lines.append(statement(kind, key, value, phrasing))
        elif one_phrasing:
            phrasing = None
    multiline = any("\n" in line for line in lines) or rng.random() < 0.4
    return ("\n" if multiline else " ").join(lines)


def rows(rng: Random, exam: bool = False) -> str:
    """Things that have an order: the days, the months, counting by ones, twos, fives or tens, up or down."""
    if rng.random() < 0.4:
        name, row = rng.choice(list(TEXTS["rows"].items()))
        start = rng.randrange(len(row) - 2) if rng.random() < 0.4 else 0
        words = row[start:]
        return (f"{name} " if start == 0 and rng.random() < 0.7 else "") + ", ".join(words) + "."
    if rng.random() < 0.25:
        return _down(rng)
    step = rng.choice([1, 1, 1, 1, 2, 2, 5, 10, 3, 100])
    start = rng.randrange(0, 90) if step < 5 else step * rng.randrange(0, 6)
    if rng.random() < 0.4:
        start = step if step > 1 else 1
    numbers = [str(start + step * i) for i in range(rng.randint(6, 14))]
    if rng.random() < 0.2:
        numbers.reverse()
    opening = rng.choice(["", "", "Counting: ", "Let us count. ", f"Count by {step}s: " if step > 1 else "Count: "])
    return opening + ", ".join(numbers) + "."


def _down(rng: Random) -> str:
    """Count down, in words or digits, or go backwards through the days or the months."""
    row = rng.choice(
        [WORDS["days"], WORDS["months"], WORDS["numbers"], WORDS["numbers"], WORDS["numbers"], [str(number) for number in range(21)]]
    )
    start = rng.randint(3, len(row) - 1)
    words = row[start : None if rng.random() < 0.3 else 0 : -1][: rng.randint(3, 21)]
    opening = rng.choice(["", "", "", "Counting down: ", "Backwards: ", "Now backwards: "])
    return (
        (opening or "")
        + (", ".join(words) if opening else capital(", ".join(words)))
        + rng.choice([".", ".", ", go!" if words[-1] in ("one", "1") else "."])
    )
