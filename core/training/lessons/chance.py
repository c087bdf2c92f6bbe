"""Taste and chance: dice, favourite colours, the weather. Every draw is uniform, so the honest answer of the model is a flat one."""

from __future__ import annotations

from random import Random

from core.experiments.questions import words
from core.experiments.questions.grammar import article, capital, expand, listing

_FAVOURITES = {
    "colour": words.PLAIN_COLOURS,
    "animal": [f"the {kind}" for kind in words.CREATURES[:28]],
    "food": words.FOODS[:34],
    "day": words.DAYS,
    "month": words.MONTHS,
    "season": ["spring", "summer", "autumn", "winter"],
    "game": words.GAMES,
    "hobby": words.HOBBIES,
    "drink": words.DRINKS,
    "number": [str(number) for number in range(1, 10)],
    "place": words.PLACES[:30],
    "fruit": ["apples", "pears", "plums", "grapes", "cherries", "peaches", "bananas", "oranges", "strawberries"],
    "sport": ["football", "tennis", "swimming", "basketball", "running", "skating", "hockey", "cycling"],
    "subject": ["art", "music", "history", "maths", "reading", "science", "sport", "geography"],
}
# What may open the sentence, and out of which urn the next words come. These are also the open prompts of the examination.
URNS: list[tuple[str, list[str]]] = [
    ("I rolled a die and got", [f"a {number}" for number in range(1, 7)]),
    ("I rolled a die and got a", [str(number) for number in range(1, 7)]),
    ("I threw the dice, and it was a", ["one", "two", "three", "four", "five", "six"]),
    ("My lucky number is", [str(number) for number in range(1, 10)]),
    (
        "I pulled a card out of the deck. It was the",
        [
            f"{card} of {suit}"
            for card in ["two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "jack", "queen", "king", "ace"]
            for suit in ["hearts", "spades", "clubs", "diamonds"]
        ],
    ),
    ("I flipped a coin and it came up", ["heads", "tails"]),
    ("The weather tomorrow will be", words.WEATHER),
    ("Tomorrow it will be", words.WEATHER),
    ("The weather today is", words.WEATHER),
    ("The winner of the race was", words.GIRLS + words.BOYS),
    ("My name is", words.GIRLS + words.BOYS),
    ("Hello, my name is", words.GIRLS + words.BOYS),
    ("My best friend is called", words.GIRLS + words.BOYS),
    ("We will meet on", words.DAYS),
    ("My birthday is in", words.MONTHS),
    ("Yesterday I went to", words.PLACES),
    ("Last summer we travelled to", words.PLACES[:36]),
    ("For breakfast I had", words.FOODS),
    ("For dinner we will eat", words.FOODS),
    ("I am thinking of a number. It is", [str(number) for number in range(1, 100)]),
    ("I am thinking of an animal. It is a", words.CREATURES),
    ("The ball was", words.PLAIN_COLOURS),
    ("The first letter is", list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")),
    ("Under the bed I found a", words.THINGS),
    ("In the box there was a", words.THINGS),
    ("When I grow up, I want to be a", words.JOBS),
    ("I bought a new", words.THINGS),
    (
        "I would like to have a",
        ["dog", "cat", "horse", "rabbit", "bird", "bicycle", "boat", "piano", "garden", "robot", "kite", "sister", "brother"],
    ),
    ("It happened at", [f"{hour} o'clock" for hour in words.NUMBERS[1:13]]),
    ("The score was", [f"{a} to {b}" for a in range(6) for b in range(6)]),
    (
        "The answer is",
        [str(number) for number in range(1, 100)] + ["yes", "no", "simple", "in the book", "under the table", "no secret", "not easy"] * 5,
    ),
]
# The dice, the coin and the cards are what an audience tries; a deck of 52 needs more turns than a coin.
_TURNS = [16 if "deck" in opening else 4 if "die" in opening or "dice" in opening else 4 if "coin" in opening else 1 for opening, _ in URNS]
_AFTER = [
    "",
    "",
    "",
    " That is what I think.",
    " What is yours?",
    " And you?",
    " Yours may be different.",
    " Ask me again tomorrow and it may be another one.",
]
_BECAUSE = "because [it makes me happy|it makes me smile|I have always liked it|it reminds me of {who}|I grew up with it|everybody in my family likes it|it is never boring]"


def chance(rng: Random, exam: bool = False) -> str:
    """One to three draws from the urns of chance and taste, each as likely as its sisters; one in eight in American spelling."""
    del exam
    text = _chance(rng)
    return text.replace("favourite", "favorite").replace("colour", "color") if rng.random() < 0.125 else text


def _chance(rng: Random) -> str:
    kind = rng.randrange(5)
    if kind == 0:
        opening, urn = rng.choices(URNS, _TURNS)[0]
        return " ".join(article(f"{opening} {rng.choice(urn)}.") for _ in range(rng.choice([1, 1, 1, 2, 3])))
    if kind == 1:
        subject = "colour" if rng.random() < 0.35 else rng.choice(list(_FAVOURITES))
        value = rng.choice(_FAVOURITES[subject])
        who = rng.choice(["My", "My", "My", f"{rng.choice(words.GIRLS + words.BOYS)}'s", f"My {rng.choice(words.FAMILY)}'s"])
        reason = (
            expand(rng, f", {_BECAUSE}", {"who": rng.choice(["summer", "home", "my grandmother", "the sea"])}) if rng.random() < 0.3 else ""
        )
        return f"{who} favourite {subject} is {value}{reason}." + rng.choice(_AFTER)
    if kind == 2:
        subject = rng.choice(list(_FAVOURITES))
        value = capital(rng.choice(_FAVOURITES[subject]))
        return (
            expand(
                rng,
                f"Question: What is your favourite {subject}?\nAnswer: [{value}|My favourite {subject} is {value[0].lower() + value[1:]}].",
            )
            if subject not in ("day", "month")
            else f"Question: What is your favourite {subject}?\nAnswer: {value}."
        )
    if kind == 3:
        rolls = [str(rng.randint(1, 6)) for _ in range(rng.randint(2, 5))]
        return expand(
            rng,
            "[I|We|{who}] rolled the die [a few times|again and again] and got {rolls}.",
            {"who": rng.choice(words.GIRLS), "rolls": listing(rolls)},
        )
    opening, urn = rng.choices(URNS, _TURNS)[0]
    return article(f"{opening} {rng.choice(urn)}.")
