"""Other kinds of text from the same world: diary, letter, a title above a story, questions below it; and the document of the training."""

from __future__ import annotations

from random import Random

from core.bundled.recipe.world.asides import with_asides
from core.bundled.recipe.world.ask import asked
from core.bundled.recipe.world.scripts import CAST, WORDING
from core.bundled.recipe.world.tell import story
from core.bundled.recipe.world.wording import choose, tidy
from core.experiments.shared.questions.grammar import capital


def diary(rng: Random) -> str:
    """A page of a diary."""
    tale = story(rng, kinds="I my")
    start, gap = tidy(choose(rng, WORDING["diary_start"])), rng.choice([" ", "\n", "\n\n"])
    return f"{start}{gap}{with_asides(rng, tale.text)} {choose(rng, WORDING['diary_end'])}".strip()


def letter(rng: Random) -> str:
    """A letter to somebody, signed."""
    tale = story(rng, kinds="I my")
    pool = CAST["girls"] + CAST["boys"]
    to = rng.choice([*WORDING["letter_to"], rng.choice(pool), rng.choice(pool), rng.choice(pool)])
    start = choose(rng, WORDING["letter_start"])
    gap = rng.choice(["\n\n", "\n", " "])
    start = start if gap == " " else capital(start)
    end, signed = choose(rng, WORDING["letter_end"]), choose(rng, WORDING["signed"])
    return f"Dear {to},{gap}{start} {with_asides(rng, tale.text)} {end}{gap}{signed} {rng.choice(pool)}"


def titled(rng: Random) -> str:
    """A story with a title above it."""
    tale = story(rng)
    hero = tale.hero
    title = tale.plot[0].replace("_", " ") if hero.pronoun == "I" else hero.label
    thing = tale.cast.get("t")
    second = f" and the {thing.noun}" if thing is not None and not isinstance(thing, str) else ""
    return f"{capital(title)}{second}\n\n{with_asides(rng, tale.text)}"


def document(rng: Random) -> str:
    """One text of the world: mostly a story, some with questions, some in another register."""
    kind = rng.random()
    if kind < 0.08:
        return diary(rng)
    if kind < 0.15:
        return letter(rng)
    if kind < 0.2:
        return titled(rng)
    tale = story(rng)
    return with_asides(rng, tale.text) + (asked(rng, tale) if kind < 0.45 else "")
