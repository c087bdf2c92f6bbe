"""Stories in simple words: somebody, somewhere, a wish, a hindrance, help, an end; and questions about what was told.

Every story is composed from a plot (plots.py), two characters, places, a thing with a colour. Held out are whole combinations of
hero, thing and place: the examination asks for stories about people and things that never met in the training text.
"""

from __future__ import annotations

import re
from random import Random

from core.training.lessons import plots, words
from core.training.lessons.grammar import article, capital, draw, expand, raise_sentences, tell
from core.training.lessons.retell import vary
from core.training.lessons.storylines import PLOTS, PRACTISED, QUESTIONS

# Where one hides, and what was seen before one hid there.
_SHELTERS = [
    ("under a big tree", "a big tree"),
    ("in a cave", "a cave"),
    ("under a bridge", "a bridge"),
    ("in an old barn", "an old barn"),
    ("behind a big rock", "a big rock"),
    ("in a small hut", "a small hut"),
    ("in a shed", "a shed"),
    ("in a hollow tree", "a hollow tree"),
    ("under a boat", "a boat"),
    ("in a little house", "a little house"),
]
_PETS_FOUND = ["bird", "kitten", "puppy", "hedgehog", "squirrel", "rabbit", "fox", "owl", "duck", "mouse", "lamb", "turtle", "bat", "deer"]
_SEASONS = ["spring", "summer", "autumn", "winter"]
_OLD = """man woman wizard owl turtle dragon bear king queen sailor giant goat witch shepherd fisherman miller stork badger toad hermit
clockmaker""".split()
_RIVALS = "hare horse lion rooster crow wolf peacock tiger goat goose cow magpie camel raven bull swan rat".split()
# Now and then the hero is neither a child nor an animal.
_LADIES = "queen princess witch fairy farmer sailor baker pirate doctor gardener".split()
_LORDS = "king prince wizard knight farmer sailor baker pirate giant fisherman".split()
_TREES = "oak|birch|pine tree|apple tree|willow|cherry tree|chestnut tree|pear tree|plum tree|palm tree|walnut tree|lime tree".split("|")
_FLOWERS = "roses tulips daisies sunflowers lilies violets poppies bluebells buttercups daffodils".split()
_CLOTHES = "hat coat scarf jumper shirt raincoat cap dress jacket apron pullover cloak".split()
_FOLK = (
    "baker|farmer|postman|gardener|sailor|painter|cook|clown|fisherman|singer|teacher|shopkeeper|miller|shepherd|tailor|bus driver".split(
        "|"
    )
)


def cast(rng: Random, exam: bool, kind: str | None = None) -> dict[str, str]:
    """Draw everybody and everything that a plot may name, on the wanted side of the hold-out rule."""

    def combination() -> tuple[str, str, str]:
        return rng.choice(words.GIRLS + words.BOYS), rng.choice(words.THINGS), rng.choice(words.PLACES)

    name, thing, place = draw(exam, combination)
    female = name in words.GIRLS
    kind = kind or (rng.choice(_LADIES if female else _LORDS) if rng.random() < 0.1 else words.anyone(rng).kind)
    if kind in words.CHILDREN:
        kind = "girl" if female else "boy"
    hero = words.Person(name, kind, *(("she", "her", "her") if female else ("he", "his", "him")))
    friend = words.creature(rng, {name, hero.kind})
    grown = rng.choice(words.FAMILY)
    ghe = "she" if grown in words.WOMEN else "he" if grown not in ("teacher", "neighbour") else rng.choice(["he", "she"])
    col, col2, col3 = rng.sample(words.COLOURS, 3)
    day, day2 = rng.sample(words.DAYS, 2)
    food, food2 = rng.sample(words.FOODS, 2)
    shelter, shelter_seen = rng.choice(_SHELTERS)
    trait, trait2, trait3 = rng.sample(words.TRAITS, 3)
    slots = (
        hero.slots()
        | friend.slots("f")
        | {
            "f": friend.name,
            "Fhe": friend.he.capitalize(),
            "thing": thing,
            "thing2": rng.choice([other for other in ("basket", "box", "hat", "bag", "bucket") if other != thing]),
            "thing3": rng.choice([other for other in words.THINGS if other not in (thing, "basket", "box", "hat", "bag", "bucket")]),
            "place": place,
            "place2": rng.choice([place2 for place2 in words.PLACES if place2 != place]),
            "home": rng.choice([home for home in words.PLACES[:32] if home != place]),
            "grown": grown,
            "ghe": ghe,
            "Ghe": ghe.capitalize(),
            "gher": "her" if ghe == "she" else "him",
            "col": col,
            "col2": col2,
            "col3": col3,
            "trait": trait,
            "trait2": trait2,
            "trait3": trait3,
            "food": food,
            "food2": food2,
            "drink": rng.choice(words.DRINKS),
            "good": rng.choice(words.FEELINGS_GOOD),
            "bad": rng.choice(words.FEELINGS_BAD),
            "where": rng.choice(words.WHERES),
            "skill": rng.choice(plots.SKILLS),
            "game": rng.choice(words.GAMES),
            "pet": rng.choice(_PETS_FOUND),
            "p": rng.choice([pet for pet in words.PETS if pet not in (name, friend.name)]),
            "shelter": shelter,
            "shelter2": shelter_seen,
            "season": rng.choice(_SEASONS),
            "month": rng.choice(words.MONTHS),
            "day": day,
            "day2": day2,
            "num": rng.choice(words.NUMBERS[2:13]),
            "num2": rng.choice(words.NUMBERS[2:13]),
            "old": rng.choice([old for old in _OLD if old not in (hero.kind, friend.kind)]),
            "rival": rng.choice([one for one in _RIVALS if one not in (hero.kind, friend.kind)]),
            "tree": rng.choice(_TREES),
            "flowers": rng.choice(_FLOWERS),
            "cloth": rng.choice([cloth for cloth in _CLOTHES if cloth != thing]),
            "folk": rng.choice([folk for folk in _FOLK if folk != hero.kind]),
            "pot": rng.choice(["pot", "cup", "jar", "bucket", "box", "tin", "bowl", "glass", "boot"]),
            "n2": rng.choice([name, friend.name]),
            "time": rng.choice(plots.TIMES),
            "wrong": rng.choice([kind for kind in words.CREATURES if kind not in (hero.kind, friend.kind)]),
        }
    )
    return slots | {capital(key): capital(slots[key]) for key in ("col", "col2", "col3", "where", "shelter", "food", "time", "num", "num2")}


def _paragraphs(rng: Random, sentences: list[str]) -> str:
    """Join the beats, now and then with a new paragraph, as a person would write them down."""
    breaks = rng.random() < 0.4
    text = sentences[0]
    for sentence in sentences[1:]:
        text += ("\n\n" if breaks and rng.random() < 0.3 else " ") + sentence
    return article(text)


# Who is meant may be said by name or by a little word. Names in the middle of a story keep its sentences from being learned as one piece.
_NAMED = [
    (re.compile(r"(?:(?<=^)|(?<=[.!?] ))\{He\} (?=\w|\[)"), "{n} ", 0.4),
    (re.compile(r"(?:(?<=^)|(?<=[.!?] ))\{Fhe\} (?=\w|\[)"), "{f} ", 0.4),
    (re.compile(r"(?:(?<=^)|(?<=[.!?] ))\{His\} \{grown\}"), "{n}'s {grown}", 0.4),
    (re.compile(r"(?:(?<=^)|(?<=[.!?] ))They (?=\w|\[)"), "{n} and {f} ", 0.4),
    (re.compile(r"(?:(?<=^)|(?<=[.!?] ))\{n\} (?=\w|\[)"), "The {kind} ", 0.12),
    (re.compile(r'(?<=[,!?]" )\{he\} '), "{n} ", 0.5),
    (re.compile(r'(?<=[,!?]" )\{fhe\} '), "{f} ", 0.5),
]


def _by_name(rng: Random, way: str) -> str:
    """One way to tell a beat, with some of its pronouns turned into names."""
    for pattern, name, often in _NAMED:
        way = pattern.sub(lambda found, name=name, often=often: name if rng.random() < often else found[0], way)  # type: ignore[misc]
    return way


def happenings(rng: Random, plot: str, slots: dict[str, str]) -> list[str]:
    """The sentences of one plot, one way of each beat, and here and there something by the way."""
    told: list[str] = []
    asides = rng.sample(plots.ASIDES, len(PLOTS[plot]))
    for ways, aside in zip(PLOTS[plot], asides, strict=True):
        told += tell(rng, [[_by_name(rng, rng.choice(ways))]], slots)
        if rng.random() < 0.1:
            told.append(expand(rng, _by_name(rng, aside), slots))
    return told


def _closing(sentence: str) -> tuple[bool, str]:
    """Sort key: whatever sounds like the end comes last."""
    return sentence.startswith(("The end", "And they lived", "And to this day")), sentence


def _questions(rng: Random, plot: str, slots: dict[str, str], count: int, friend_seen: bool) -> str:
    """Questions about the story, answered shortly or in a sentence."""
    always = plots.ALWAYS_ASKED[0 if friend_seen else 1 :]
    asked = rng.sample(QUESTIONS[plot] + always, count)
    lines = []
    for question, short, long in asked:
        lines.append(
            f"Question: {expand(rng, question, slots)}\nAnswer: {capital(expand(rng, short if rng.random() < 0.5 else long, slots))}"
        )
    return "\n".join(lines)


def story(rng: Random, exam: bool = False) -> str:
    """One story, in six of ten cases followed by questions about it."""
    plot = rng.choice(PRACTISED)
    slots = cast(rng, exam)
    sentences = [expand(rng, rng.choice(plots.OPENINGS), slots)]
    sentences += [
        sentence for sentence in (expand(rng, rng.choice(plots.MIDDLES), slots) for _ in range(rng.randint(0, 2))) if sentence != "-"
    ]
    sentences += happenings(rng, plot, slots)
    friend_seen = slots["f"] in " ".join(sentences)
    endings = [ending for ending in plots.ENDINGS if friend_seen or "{f}" not in ending]
    sentences += sorted({expand(rng, rng.choice(endings), slots) for _ in range(rng.randint(1, 2))}, key=_closing)
    # The opening stays as it is: who may come first is a lesson of its own.
    first, *others = (raise_sentences(sentence) for sentence in dict.fromkeys(sentences))
    text = _paragraphs(rng, [first, *(vary(rng, sentence) for sentence in others)])
    if rng.random() < 0.6:
        text += "\n" + _questions(rng, plot, slots, rng.randint(1, 3), friend_seen)
    return text


def beginning(rng: Random, exam: bool = False) -> str:
    """Only the first sentences of a story: cheap practice in who may come first and what is said of them next."""
    slots = cast(rng, exam)
    sentences = [expand(rng, rng.choice(plots.OPENINGS), slots), expand(rng, rng.choice(plots.MIDDLES[:-3]), slots)]
    sentences.append(expand(rng, rng.choice(rng.choice(list(PLOTS.values()))[0]), slots))
    return article(" ".join(raise_sentences(sentence) for sentence in sentences))
