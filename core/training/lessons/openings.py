"""Everyday openings: what an audience shouts. Diaries, letters, recipes, weather, a match, jokes, rhymes, a robot, a dragon, small talk.

Templates in words.py's world, each with brackets upon brackets, so that no two come out alike. Old rhymes are told as they are
(they are everybody's): a certain continuation beside the open ones. A few texts carry emoji, whose bytes a tokenizer splits.
"""

from __future__ import annotations

from random import Random

from core.experiments.questions import words
from core.experiments.questions.grammar import article, expand, held_out, raise_sentences
from core.training.lessons.first_words import FIRST_WORDS, MANY_TOPICS, TOPICS
from core.training.lessons.scenes import JOKES, RHYMES, SCENES
from core.training.lessons.starts import SAYINGS, STARTS

_WHYS = [
    "it makes me happy",
    "it is fun",
    "it is good for me",
    "I learned it from my grandmother",
    "it tastes of summer",
    "I can do it anywhere",
    "everyone is there",
    "you can be yourself",
    "nobody is in a hurry",
    "there is always something new",
    "you never feel alone",
    "somebody thinks of you",
    "we laugh together",
    "all my friends are there",
    "you can rest",
    "time goes slowly",
    "you forget your troubles",
    "everything is calm",
]
_PLURALS = {
    "mouse": "mice",
    "goose": "geese",
    "sheep": "sheep",
    "deer": "deer",
    "wolf": "wolves",
    "fox": "foxes",
    "puppy": "puppies",
    "pony": "ponies",
}
_DISHES = """soup|potato soup|apple pie|bread|salad|fruit salad|pancakes|porridge|pizza|pasta|tomato soup|cookies|jam|carrot cake|chocolate cake|waffles|rice with beans
noodles with cheese|mushroom soup|vegetable soup|fish with potatoes|lemonade|strawberry cake|onion soup|plum cake|bean soup""".replace(
    "\n", "|"
).split("|")
_WHYNOTS = [
    "it makes me sad",
    "it is boring",
    "it is too loud",
    "it takes too long",
    "I am always tired then",
    "nobody else likes it either",
]


def _slots(rng: Random) -> dict[str, str]:
    """Fill every slot that a scene may use: {a} {b} people, {place}, {food}, {thing}, {col}, numbers, days ..."""
    a = words.girl_or_boy(rng)
    b = words.girl_or_boy(rng, {a.name})
    foods, things, places = rng.sample(words.FOODS, 4), rng.sample(words.THINGS, 3), rng.sample(words.PLACES, 3)
    cols, kinds, weather = rng.sample(words.PLAIN_COLOURS, 2), rng.sample(words.CREATURES, 2), rng.sample(words.WEATHER, 3)
    days = rng.sample(words.DAYS, 2)
    slots = {
        "a": a.name,
        "b": b.name,
        "he": a.he,
        "He": a.he.capitalize(),
        "his": a.his,
        "him": a.him,
        "bhe": b.he,
        "bhis": b.his,
        "grown": rng.choice(words.FAMILY),
        "job": rng.choice(words.JOBS),
        "hobby": rng.choice(words.HOBBIES),
        "hobby2": rng.choice(words.HOBBIES),
        "game": rng.choice(words.GAMES),
        "pet": rng.choice(words.PETS),
        "good": rng.choice(words.FEELINGS_GOOD),
        "bad": rng.choice(words.FEELINGS_BAD),
        "trait": rng.choice(words.TRAITS),
        "where": rng.choice(words.WHERES),
        "drink": rng.choice(words.DRINKS),
        "month": rng.choice(words.MONTHS),
        "day": days[0],
        "day2": days[1],
        "n": str(rng.randint(2, 9)),
        "m": str(rng.randint(2, 9)),
        "big": str(rng.randint(10, 60)),
        "high": str(rng.randint(3, 6)),
        "low": str(rng.randint(0, 2)),
        "skill": rng.choice(words.SKILLS),
        "plan": rng.choice(words.SKILLS),
        "grown2": f"my {rng.choice(words.FAMILY)}",
        "why": rng.choice(_WHYS),
        "why2": rng.choice(_WHYS[6:]),
        "whynot": rng.choice(_WHYNOTS),
        "temp": str(rng.randint(1, 30)),
        "num": rng.choice(words.NUMBERS[2:13]),
        "topic": rng.choice(TOPICS),
        "topics": rng.choice(MANY_TOPICS),
    }
    for name, values in (("food", foods), ("thing", things), ("place", places), ("col", cols), ("kind", kinds), ("w", weather)):
        for number, value in enumerate(values, start=1):
            slots[name if number == 1 else f"{name}{number}"] = value
    slots["kinds"], slots["kinds2"] = (_PLURALS.get(kind, f"{kind}s") for kind in kinds)
    slots["instrument"] = rng.choice(["drum", "piano", "violin", "guitar", "flute", "trumpet"])
    slots["things"] = f"{things[2]}s" if not things[2].endswith(("ch", "s", "h")) else "books"
    slots["dish"] = rng.choice(_DISHES)
    return slots


def opening(rng: Random, exam: bool = False) -> str:
    """One scene of daily life; held out are combinations of its scene, first person and place."""
    while True:
        scene = rng.choice(STARTS + FIRST_WORDS) if rng.random() < 0.5 else rng.choice(SCENES[rng.choice(list(SCENES))])
        slots = _slots(rng)
        if held_out(scene[:40], slots["a"], slots["place"]) == exam:
            break
    lines = [raise_sentences(line) for line in expand(rng, scene, slots).replace(" .", ".").split("\n")]
    return article("\n".join(line.strip() for line in lines).strip())


def rhyme(rng: Random, exam: bool = False) -> str:
    """An old rhyme or saying, as everybody knows it."""
    del exam
    return rng.choice(RHYMES) if rng.random() < 0.5 else rng.choice(SAYINGS).format_map(_slots(rng))


def joke(rng: Random, exam: bool = False) -> str:
    """A knock-knock joke or a riddle."""
    del exam
    return expand(rng, rng.choice(JOKES), _slots(rng))
