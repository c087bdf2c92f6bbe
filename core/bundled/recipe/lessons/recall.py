"""Remember and repeat: facts named once, then other talk, then a question; lists said again; words in the same order.

Copying from the context is what a small model learns last and what a visitor notices first (the brown stone must stay brown), so there is
much of it, short in the beginning and at growing distance. Held out are combinations of person, thing and answer.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

from core.experiments.shared.questions.grammar import article, capital, draw, expand, listing
from core.experiments.shared.questions.words import WORDS, read

_TEXTS = read(Path(__file__).with_name("texts.toml"))["recall"]
KINDS: dict[str, dict[str, list[str]]] = _TEXTS["kinds"]
_PEOPLE = WORDS["girls"] + WORDS["boys"]


def _value(rng: Random, kind: str, person: str) -> tuple[str, str]:
    """Draw the thing and what is to be remembered of it."""
    thing = rng.choice(WORDS["things"])
    if kind == "where":
        return thing, rng.choice(WORDS["wheres"])
    if kind == "colour":
        return thing, rng.choice(WORDS["colours"][:11])
    if kind == "likes":
        return "", rng.choice(WORDS["foods"])
    if kind == "pet":
        return rng.choice(_TEXTS["texts"]["pets"]), rng.choice(WORDS["pets"])
    if kind == "went":
        return "", rng.choice(WORDS["places"])
    if kind == "number":
        return rng.choice(_TEXTS["texts"]["countable"]), rng.choice(WORDS["numbers"][2:])
    if kind == "code":
        return "", str(rng.randrange(1, 10 ** rng.randint(1, 4)))
    if kind == "job":
        return "", rng.choice(WORDS["jobs"])
    return thing, rng.choice([name for name in _PEOPLE if name != person])


def fact(rng: Random, exam: bool, kind: str, person: str | None = None) -> dict[str, str]:
    """One thing to remember, as slots {n} {t} {v} {V} {his}, on the wanted side of the hold-out rule."""

    def combination() -> tuple[str, str, str]:
        name = person or rng.choice(_PEOPLE)
        return name, *_value(rng, kind, name)

    name, thing, value = draw(exam, combination)
    return {"n": name, "t": thing, "v": value, "V": capital(value), "his": "her" if name in WORDS["girls"] else "his"}


def filler(rng: Random, sentences: int) -> list[str]:
    """Sentences about nothing in particular, to put distance between a fact and its question."""
    return [expand(rng, rng.choice(_TEXTS["texts"]["fillers"])) for _ in range(sentences)]


def _ask(rng: Random, kind: str, slots: dict[str, str]) -> str:
    """The question and its answer, in one of three layouts."""
    question, answer = (article(rng.choice(KINDS[kind][part]).format_map(slots)) for part in ("asked", "answers"))
    layout = rng.randrange(3)
    return (
        f"\nQuestion: {question}\nAnswer: {answer}" if layout == 0 else f" {question} {answer}" if layout == 1 else f"\n{question} {answer}"
    )


def recall(rng: Random, exam: bool = False, distance: int | None = None) -> str:
    """One to four facts about different people, `distance` sentences of other talk, then one to three questions."""
    count = rng.choice([1, 1, 2, 2, 3, 4])
    kinds = [rng.choice(list(KINDS))] * count if rng.random() < 0.5 else [rng.choice(list(KINDS)) for _ in range(count)]
    people = rng.sample(_PEOPLE, count)
    facts = [(kind, fact(rng, exam, kind, None if exam else person)) for kind, person in zip(kinds, people, strict=True)]
    if distance is None:
        distance = rng.choice([0, 0, 0, 1, 1, 2, 3, 5, 8, 14, 24])
    sentences = [article(rng.choice(KINDS[kind]["told"]).format_map(slots)) for kind, slots in facts]
    text = " ".join(sentences + filler(rng, distance))
    if len({slots["n"] for _, slots in facts}) < count:
        facts = facts[-1:]
    for kind, slots in rng.sample(facts, min(len(facts), rng.randint(1, 3))):
        text += _ask(rng, kind, slots)
    return text


_ECHOES = [
    lambda rng: rng.choice(_PEOPLE),
    lambda rng: rng.choice(WORDS["foods"]),
    lambda rng: rng.choice(WORDS["things"]),
    lambda rng: rng.choice(WORDS["creatures"]),
    lambda rng: rng.choice(WORDS["colours"]),
    lambda rng: str(rng.randrange(100)),
    lambda rng: str(rng.randrange(10)),
    lambda rng: rng.choice(WORDS["places"]),
    lambda rng: "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(rng.randint(2, 3))),
]


def echo(rng: Random, exam: bool = False) -> str:
    """Words said again in the same order: the shortest lesson in copying."""
    del exam
    source = rng.choice(_ECHOES)
    items = [source(rng) for _ in range(rng.randint(2, 9))]
    words = ", ".join(items)
    name, other = rng.sample(_PEOPLE, 2)
    return expand(
        rng,
        rng.choice(
            [
                f"Say after me: {words}. [I say|You say|Again|Once more]: {words}.",
                f"{capital(words)}. {capital(words)}.",
                f"Repeat: {words}.\n{capital(words)}.",
                f'{name} says, "{capital(words)}." {other} [repeats|says it again|says], "{capital(words)}."',
                f"{name} needs {listing(items)}. [{other} goes to the shop|In the shop {name} asks] for {listing(items)}.",
                f"The list: {words}. [The first is|First comes] {items[0]}. The last is {items[-1]}.",
                f"{' '.join(items)} / {' '.join(items)} / {' '.join(items)}",
                f"{name} wrote: {words}. What did {name} write? {name} wrote: {words}.",
            ]
        ),
    )


def drill(rng: Random, exam: bool = False) -> str:
    """The same few words again and again: nearly every word can only be known by looking back, which is how looking back is learned."""
    del exam
    sources = [rng.choice(_ECHOES)] if rng.random() < 0.5 else _ECHOES
    items = [rng.choice(sources)(rng) for _ in range(rng.choice([2, 3, 4, 5, 6, 8, 10, 14, 18]))]
    times = max(2, 36 // len(items))
    joint = rng.choice([" ", " ", " ", " ", ", ", ". ", "\n", " and "])
    return joint.join(items * times)
