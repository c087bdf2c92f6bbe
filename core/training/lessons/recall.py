"""Remember and repeat: facts named once, then other talk, then a question; lists said again; words in the same order.

Copying from the context is what a small model learns last and what a visitor notices first (the brown stone must stay brown), so there is
much of it, short in the beginning and at growing distance. Held out are combinations of person, thing and answer.
"""

from __future__ import annotations

from random import Random

from core.experiments.questions import words
from core.experiments.questions.grammar import article, capital, draw, expand, listing

_PEOPLE = words.GIRLS + words.BOYS

# kind: how it is said, how it is asked, the short answer, the long answer. {n} who, {t} thing, {v} the value to remember.
KINDS: dict[str, tuple[list[str], list[str], list[str]]] = {
    "where": (
        ["{n}'s {t} is {v}.", "{n} put the {t} {v}.", "The {t} of {n} is {v}.", "{n} keeps {his} {t} {v}."],
        ["Where is {n}'s {t}?", "Where is the {t} of {n}?"],
        ["{V}.", "{n}'s {t} is {v}.", "It is {v}."],
    ),
    "colour": (
        ["{n} has a {v} {t}.", "{n}'s {t} is {v}.", "{n} bought a {v} {t}.", "The {t} of {n} is {v}."],
        ["What colour is {n}'s {t}?", "Which colour does {n}'s {t} have?"],
        ["{V}.", "{n}'s {t} is {v}.", "It is {v}."],
    ),
    "likes": (
        ["{n} likes {v} most of all.", "{n}'s favourite food is {v}.", "{n} loves {v}."],
        ["What does {n} like?", "What is {n}'s favourite food?"],
        ["{V}.", "{n} likes {v}.", "{n} likes {v} most of all."],
    ),
    "pet": (
        ["{n} has a {t} called {v}.", "{n}'s {t} is called {v}.", "The name of {n}'s {t} is {v}."],
        ["What is the name of {n}'s {t}?", "What is {n}'s {t} called?"],
        ["{v}.", "{n}'s {t} is called {v}."],
    ),
    "went": (
        ["{n} went to {v}.", "{n} is at {v}.", "Today {n} is at {v}."],
        ["Where is {n}?", "Where can we find {n}?"],
        ["At {v}.", "{n} is at {v}."],
    ),
    "number": (
        ["{n} has {v} {t}s.", "{n} found {v} {t}s.", "There are {v} {t}s in {n}'s bag."],
        ["How many {t}s does {n} have?", "How many {t}s are there?"],
        ["{V}.", "{n} has {v} {t}s."],
    ),
    "code": (
        ["The secret number of {n} is {v}.", "{n}'s secret number is {v}.", "{n} lives at number {v}."],
        ["What is {n}'s secret number?", "What is the number of {n}?"],
        ["{v}.", "The number is {v}.", "{n}'s secret number is {v}."],
    ),
    "job": (
        ["{n} is a {v}.", "{n} works as a {v}.", "{n} wants to be a {v}."],
        ["What is {n}'s job?", "What does {n} do?"],
        ["A {v}.", "{n} is a {v}."],
    ),
    "gave": (
        ["{n} gave the {t} to {v}.", "{v} got the {t} from {n}.", "{n} lent the {t} to {v}."],
        ["Who has the {t} now?", "Who got {n}'s {t}?"],
        ["{v}.", "{v} has the {t}.", "{v} has {n}'s {t}."],
    ),
}
_COUNTABLE = "book coin marble shell button pencil balloon stamp flower apple cookie ball feather star sticker".split()
_PET_KINDS = "dog cat rabbit bird horse mouse turtle parrot goat pony duck hamster".split()

FILLERS = """[The sun is shining|It is raining|It is snowing|The wind is blowing] [today|this morning|outside|over the hills].
[A bird|A small bird|A crow|An owl] is [singing|sitting] [in the tree|on the roof|on the fence].
[The children|Some children|Two boys|Three girls] [play|are playing] [football|in the garden|near the river|with a ball].
[The train|The bus|The boat] is [late|early|on time] [today|again|this morning].
[The baker|The farmer|The old man|The teacher] [smiles|is tired|sings a song|drinks a cup of tea].
[On Monday|On Sunday|Yesterday|In the evening], [we ate soup|it was cold|there was a market|the shops were closed|everybody stayed at home].
The [house|school|shop|street] is [quiet|big|old|full of people].
[In summer|In winter|In spring|In autumn], the days are [long|short|warm|cold|wet].
[A dog|A cat|A fox] [runs|walks] [across the street|through the garden|along the river].
[Somebody|A man|A woman] [opens|closes] the [window|door|gate].
[It is getting late|It is still early|The day is long|Time goes by].
[The river|The road|The path] is [long|wide|narrow] and [leads|goes] to the [sea|town|mountains].
[Outside|In the yard|On the hill], the [flowers|trees|bushes] are [green|in bloom|wet with rain].
[There is|There was] [music|a smell of bread|a strange light|a lot of noise] [in the street|in the house|next door].
[The moon is|The stars are] [bright|high in the sky] [tonight|this evening].
[Nobody knows why|People say that it is good|That is how it is|So the day begins].
[The grandmother|The nurse|The fisherman|The cook] [tells a story|counts the boxes|looks at the clock|waits for the bus].
The [clock|bell|radio] [is very old|can be heard everywhere|does not work].""".split("\n")


def _value(rng: Random, kind: str, person: str) -> tuple[str, str]:
    """Draw the thing and what is to be remembered of it."""
    thing = rng.choice(words.THINGS)
    if kind == "where":
        return thing, rng.choice(words.WHERES)
    if kind == "colour":
        return thing, rng.choice(words.PLAIN_COLOURS)
    if kind == "likes":
        return "", rng.choice(words.FOODS)
    if kind == "pet":
        return rng.choice(_PET_KINDS), rng.choice(words.PETS)
    if kind == "went":
        return "", rng.choice(words.PLACES)
    if kind == "number":
        return rng.choice(_COUNTABLE), rng.choice(words.NUMBERS[2:])
    if kind == "code":
        return "", str(rng.randrange(1, 10 ** rng.randint(1, 4)))
    if kind == "job":
        return "", rng.choice(words.JOBS)
    return thing, rng.choice([name for name in _PEOPLE if name != person])


def fact(rng: Random, exam: bool, kind: str, person: str | None = None) -> dict[str, str]:
    """One thing to remember, as slots {n} {t} {v} {V} {his}, on the wanted side of the hold-out rule."""

    def combination() -> tuple[str, str, str]:
        name = person or rng.choice(_PEOPLE)
        return name, *_value(rng, kind, name)

    name, thing, value = draw(exam, combination)
    return {"n": name, "t": thing, "v": value, "V": capital(value), "his": "her" if name in words.GIRLS else "his"}


def filler(rng: Random, sentences: int) -> list[str]:
    """Sentences about nothing in particular, to put distance between a fact and its question."""
    return [expand(rng, rng.choice(FILLERS)) for _ in range(sentences)]


def _ask(rng: Random, kind: str, slots: dict[str, str]) -> str:
    """The question and its answer, in one of three layouts."""
    _, questions, answers = KINDS[kind]
    question, answer = (article(rng.choice(ways).format_map(slots)) for ways in (questions, answers))
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
    told = [article(rng.choice(KINDS[kind][0]).format_map(slots)) for kind, slots in facts]
    text = " ".join(told + filler(rng, distance))
    if len({slots["n"] for _, slots in facts}) < count:
        facts = facts[-1:]
    for kind, slots in rng.sample(facts, min(len(facts), rng.randint(1, 3))):
        text += _ask(rng, kind, slots)
    return text


_ECHOES = [
    lambda rng: rng.choice(_PEOPLE),
    lambda rng: rng.choice(words.FOODS),
    lambda rng: rng.choice(words.THINGS),
    lambda rng: rng.choice(words.CREATURES),
    lambda rng: rng.choice(words.COLOURS),
    lambda rng: str(rng.randrange(100)),
    lambda rng: str(rng.randrange(10)),
    lambda rng: rng.choice(words.PLACES),
    lambda rng: "".join(rng.choice("bdfgklmnprstvz") + rng.choice("aeiou") for _ in range(rng.randint(2, 3))),
]


def echo(rng: Random, exam: bool = False) -> str:
    """Words said again in the same order: the shortest lesson in copying."""
    del exam
    source = rng.choice(_ECHOES)
    items = [source(rng) for _ in range(rng.randint(2, 9))]
    said = ", ".join(items)
    name, other = rng.sample(_PEOPLE, 2)
    return expand(
        rng,
        rng.choice(
            [
                f"Say after me: {said}. [I say|You say|Again|Once more]: {said}.",
                f"{capital(said)}. {capital(said)}.",
                f"Repeat: {said}.\n{capital(said)}.",
                f'{name} says, "{capital(said)}." {other} [repeats|says it again|says], "{capital(said)}."',
                f"{name} needs {listing(items)}. [{other} goes to the shop|In the shop {name} asks] for {listing(items)}.",
                f"The list: {said}. [The first is|First comes] {items[0]}. The last is {items[-1]}.",
                f"{' '.join(items)} / {' '.join(items)} / {' '.join(items)}",
                f"{name} wrote: {said}. What did {name} write? {name} wrote: {said}.",
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
