"""Other kinds of text from the same world: diary, letter, a title above a story, questions below it; and the document of the training."""

from __future__ import annotations

from random import Random

from core.training.world import names
from core.training.world.ask import asked
from core.training.world.tell import story
from core.training.world.wording import choose, tidy

_DIARY_START = "Dear diary[,|!] [today was a [good|strange|long|special] day.|I must tell you something.|you will not believe this.|so much has happened.|today I am [happy|tired|proud].|it is late, but I cannot sleep.|this is what happened.|]"
_DIARY_END = "[Good night!|More tomorrow.|Now I am going to sleep.|I wonder what tomorrow will bring.|That is all for today.|I want to remember this day.|]"
_LETTER_START = "[how are you?|thank you for your letter.|I hope you are well.|I have not written for a long time.|I miss you.|it is [raining|sunny|cold] here.|guess what happened!|I have so much to tell you.|greetings from [the sea|the mountains|home|my new house]!]"
_LETTER_END = "[Write soon!|When will you visit us?|I hope to see you soon.|Please write back.|Give my love to everybody.|What is new with you?|See you in the summer!]"
_SIGNED = "[Love,|Yours,|Many greetings,|Best wishes,|A big hug from|Lots of love,]"
_TO = "Grandma|Grandpa|Mum|Dad|Aunt Rosa|Uncle Ben|Mr Brown|Mrs Green|Santa|friend|cousin|teacher|sister|brother"


def diary(rng: Random) -> str:
    """A page of a diary."""
    told = story(rng, kinds="I my")
    return f"{tidy(choose(rng, _DIARY_START))}{rng.choice([' ', chr(10), chr(10) * 2])}{told.text} {choose(rng, _DIARY_END)}".strip()


def letter(rng: Random) -> str:
    """A letter to somebody, signed."""
    told = story(rng, kinds="I my")
    pool = names.GIRLS + names.BOYS
    to = rng.choice([*_TO.split("|"), rng.choice(pool), rng.choice(pool), rng.choice(pool)])
    start = choose(rng, _LETTER_START)
    gap = rng.choice(["\n\n", "\n", " "])
    return f"Dear {to},{gap}{start[0].upper() if gap.strip(' ') else start[0]}{start[1:]} {told.text} {choose(rng, _LETTER_END)}{gap}{choose(rng, _SIGNED)} {rng.choice(pool)}"


def titled(rng: Random) -> str:
    """A story with a title above it."""
    told = story(rng)
    hero = told.cast["h"]
    title = told.plot[0].replace("_", " ") if isinstance(hero, str) or hero.pronoun == "I" else hero.label
    thing = told.cast.get("t")
    second = f" and the {thing.noun}" if thing is not None and not isinstance(thing, str) else ""
    return f"{title[0].upper()}{title[1:]}{second}\n\n{told.text}"


def document(rng: Random) -> str:
    """One text of the world: mostly a story, some with questions, some in another register."""
    kind = rng.random()
    if kind < 0.08:
        return diary(rng)
    if kind < 0.15:
        return letter(rng)
    if kind < 0.2:
        return titled(rng)
    told = story(rng)
    return told.text + (asked(rng, told) if kind < 0.45 else "")
