"""Taste and chance: dice, favourite colours, the weather. Every draw is uniform, so the honest answer of the model is a flat one."""

from __future__ import annotations

from pathlib import Path
from random import Random

from core.experiments.shared.questions.grammar import article, capital, expand, listing
from core.experiments.shared.questions.words import WORDS, read

_CHANCE = read(Path(__file__).with_name("texts.toml"))["chance"]
_TEXTS = _CHANCE["texts"]

# The lists that `texts.toml` names.
_LISTS: dict[str, list[str]] = WORDS | {
    "animals": [f"the {kind}" for kind in WORDS["creatures"][:28]],
    "answers": [str(number) for number in range(1, 100)] + _TEXTS["answers"] * 5,
    "coin": ["heads", "tails"],
    "deck": [f"{card} of {suit}" for card in _TEXTS["cards"] for suit in _TEXTS["suits"]],
    "destinations": WORDS["places"][:36],
    "die": [str(number) for number in range(1, 7)],
    "a die": [f"a {number}" for number in range(1, 7)],
    "digits": [str(number) for number in range(1, 10)],
    "hours": [f"{hour} o'clock" for hour in WORDS["numbers"][1:13]],
    "names": WORDS["girls"] + WORDS["boys"],
    "near_places": WORDS["places"][:30],
    "numbers": [str(number) for number in range(1, 100)],
    "plain_colours": WORDS["colours"][:11],
    "plain_foods": WORDS["foods"][:34],
    "scores": [f"{a} to {b}" for a in range(6) for b in range(6)],
}
URNS, _FAVOURITES = (
    {name: _LISTS[source] if isinstance(source, str) else source for name, source in _CHANCE[table].items()}
    for table in ("openings", "favourites")
)
# The dice, the coin and the cards are what an audience tries; a deck of 52 needs more turns than a coin.
_TURNS = [16 if "deck" in opening else 4 if "die" in opening or "dice" in opening else 4 if "coin" in opening else 1 for opening in URNS]


def chance(rng: Random, exam: bool = False) -> str:
    """One to three draws from the urns of chance and taste, each as likely as its sisters; one in eight in American spelling."""
    del exam
    text = _chance(rng)
    return text.replace("favourite", "favorite").replace("colour", "color") if rng.random() < 0.125 else text


def _chance(rng: Random) -> str:
    kind = rng.randrange(5)
    if kind == 0:
        opening, urn = rng.choices(list(URNS.items()), _TURNS)[0]
        return " ".join(article(f"{opening} {rng.choice(urn)}.") for _ in range(rng.choice([1, 1, 1, 2, 3])))
    if kind == 1:
        subject = "colour" if rng.random() < 0.35 else rng.choice(list(_FAVOURITES))
        value = rng.choice(_FAVOURITES[subject])
        who = rng.choice(["My", "My", "My", f"{rng.choice(WORDS['girls'] + WORDS['boys'])}'s", f"My {rng.choice(WORDS['family'])}'s"])
        reason = (
            expand(rng, f", {_TEXTS['because']}", {"who": rng.choice(["summer", "home", "my grandmother", "the sea"])})
            if rng.random() < 0.3
            else ""
        )
        return f"{who} favourite {subject} is {value}{reason}." + rng.choice(_TEXTS["after"])
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
            {"who": rng.choice(WORDS["girls"]), "rolls": listing(rolls)},
        )
    opening, urn = rng.choices(list(URNS.items()), _TURNS)[0]
    return article(f"{opening} {rng.choice(urn)}.")
