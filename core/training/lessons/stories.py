"""Stories in simple words: somebody, somewhere, a wish, a hindrance, help, an end; and questions about what was told.

Every story is composed from a plot (plots.py), two characters, places, a thing with a colour. Held out are whole combinations of
hero, thing and place: the examination asks for stories about people and things that never met in the training text.
"""

from __future__ import annotations

from random import Random

from core.training.lessons import plots, words
from core.training.lessons.grammar import article, capital, draw, expand, raise_sentences, tell, vary

_SHELTERS = [
    "under a big tree",
    "in a cave",
    "under a bridge",
    "in the old barn",
    "behind a big rock",
    "in a small hut",
    "under the table",
    "in a shed",
]
_SHELTERS_SEEN = ["a cave", "a small hut", "a shed", "an old barn", "a bridge", "a little house", "a hollow tree"]
_PETS_FOUND = ["bird", "kitten", "puppy", "hedgehog", "squirrel", "rabbit", "fox", "owl", "duck", "mouse", "lamb", "turtle", "bat", "deer"]
_OLD = ["man", "woman", "wizard", "owl", "turtle", "dragon", "bear", "king", "queen", "sailor", "giant", "goat"]
_RIVALS = ["hare", "horse", "lion", "rooster", "crow", "wolf", "peacock", "tiger", "goat", "goose"]


def cast(rng: Random, exam: bool, kind: str | None = None) -> dict[str, str]:
    """Draw everybody and everything that a plot may name, on the wanted side of the hold-out rule."""

    def combination() -> tuple[str, str, str]:
        return rng.choice(words.GIRLS + words.BOYS), rng.choice(words.THINGS), rng.choice(words.PLACES)

    name, thing, place = draw(exam, combination)
    female = name in words.GIRLS
    kind = kind or words.anyone(rng).kind
    if kind in words.CHILDREN:
        kind = "girl" if female else "boy"
    hero = words.Person(name, kind, *(("she", "her", "her") if female else ("he", "his", "him")))
    friend = words.creature(rng, {name, hero.kind})
    grown = rng.choice(words.FAMILY)
    ghe = "she" if grown in words.WOMEN else "he" if grown not in ("teacher", "neighbour") else rng.choice(["he", "she"])
    col, col2 = rng.sample(words.COLOURS, 2)
    trait, trait2, trait3 = rng.sample(words.TRAITS, 3)
    slots = (
        hero.slots()
        | friend.slots("f")
        | {
            "f": friend.name,
            "Fhe": friend.he.capitalize(),
            "thing": thing,
            "thing2": rng.choice(["basket", "box", "hat", "blanket", "scarf"]),
            "place": place,
            "place2": rng.choice([place2 for place2 in words.PLACES if place2 != place]),
            "home": rng.choice([home for home in words.PLACES[:32] if home != place]),
            "grown": grown,
            "ghe": ghe,
            "Ghe": ghe.capitalize(),
            "gher": "her" if ghe == "she" else "him",
            "col": col,
            "col2": col2,
            "trait": trait,
            "trait2": trait2,
            "trait3": trait3,
            "food": rng.choice(words.FOODS),
            "drink": rng.choice(words.DRINKS),
            "good": rng.choice(words.FEELINGS_GOOD),
            "bad": rng.choice(words.FEELINGS_BAD),
            "where": rng.choice(words.WHERES),
            "skill": rng.choice(plots.SKILLS),
            "game": rng.choice(words.GAMES),
            "pet": rng.choice(_PETS_FOUND),
            "p": rng.choice([pet for pet in words.PETS if pet not in (name, friend.name)]),
            "shelter": rng.choice(_SHELTERS),
            "shelter2": rng.choice(_SHELTERS_SEEN),
            "old": rng.choice(_OLD),
            "rival": rng.choice([one for one in _RIVALS if one not in (hero.kind, friend.kind)]),
            "pot": rng.choice(["pot", "cup", "jar", "bucket"]),
            "n2": rng.choice([name, friend.name]),
            "time": rng.choice(plots.TIMES),
            "wrong": rng.choice([kind for kind in words.CREATURES if kind not in (hero.kind, friend.kind)]),
        }
    )
    return slots | {capital(key): capital(slots[key]) for key in ("col", "col2", "where", "food", "time")}


def _paragraphs(rng: Random, sentences: list[str]) -> str:
    """Join the beats, now and then with a new paragraph, as a person would write them down."""
    breaks = rng.random() < 0.4
    text = sentences[0]
    for sentence in sentences[1:]:
        text += ("\n\n" if breaks and rng.random() < 0.3 else " ") + sentence
    return article(text)


def _closing(sentence: str) -> tuple[bool, str]:
    """Sort key: whatever sounds like the end comes last."""
    return sentence.startswith(("The end", "And they lived", "And to this day")), sentence


def _questions(rng: Random, plot: str, slots: dict[str, str], count: int, friend_seen: bool) -> str:
    """Questions about the story, answered shortly or in a sentence."""
    always = plots.ALWAYS_ASKED[0 if friend_seen else 1 :]
    asked = rng.sample(plots.QUESTIONS[plot] + always, count)
    lines = []
    for question, short, long in asked:
        lines.append(
            f"Question: {expand(rng, question, slots)}\nAnswer: {capital(expand(rng, short if rng.random() < 0.5 else long, slots))}"
        )
    return "\n".join(lines)


def story(rng: Random, exam: bool = False) -> str:
    """One story, in six of ten cases followed by questions about it."""
    plot = rng.choice(list(plots.PLOTS))
    slots = cast(rng, exam)
    sentences = [expand(rng, rng.choice(plots.OPENINGS), slots)]
    sentences += [
        sentence for sentence in (expand(rng, rng.choice(plots.MIDDLES), slots) for _ in range(rng.randint(0, 2))) if sentence != "-"
    ]
    sentences += tell(rng, plots.PLOTS[plot], slots)
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
    sentences.append(expand(rng, rng.choice(rng.choice(list(plots.PLOTS.values()))[0]), slots))
    return article(" ".join(raise_sentences(sentence) for sentence in sentences))
