"""One story on its way: its cast, its state, and the sentences told so far."""

from __future__ import annotations

import re
from random import Random

from core.training.world.casting import Casting
from core.training.world.feelings import ADVERBS, FEELINGS, SIGNS
from core.training.world.places import SETTINGS, Place
from core.training.world.state import Entity, State
from core.training.world.wording import Reference, choose, fill, tidy

_QUOTED = re.compile(r'("[^"]*")')
_SENTENCES = re.compile(r"(?<=[.!?]) (?=[A-Z{])")
_SAID = "said|said|said|said|said|said|replied|answered|explained|whispered"
_ASKED = "asked|asked|asked|asked|said"
_CRIED = "cried|cried|shouted|called|said|said|exclaimed"


class Story(Casting):
    """Tell what happens and keep it true.

    `say` writes a template, `speak` lets somebody talk, `do` changes the state. Roles named in templates are those of `cast`: h the hero,
    f a friend, t a thing, and whatever a plot adds.
    """

    def __init__(self, rng: Random, eager: float = 0.6) -> None:
        self.rng = rng
        self.state = State()
        self.refer = Reference(rng, eager)
        self.cast: dict[str, Entity | str] = {}
        self.sentences: list[str] = []
        self.taken_names: set[str] = set()
        self.taken_nouns: set[str] = set()
        self.plot: list[str] = []
        self.setting = SETTINGS["village"]
        self.dated = False

    @property
    def text(self) -> str:
        """The story so far."""
        return "".join(self.sentences).strip()

    def chance(self, probability: float) -> bool:
        """True that often."""
        return self.rng.random() < probability

    def pick(self, *options: str) -> str:
        """One of these, noted as part of the plot."""
        chosen = self.rng.choice(options)
        self.plot.append(chosen)
        return chosen

    def say(self, template: str, **roles: Entity | str) -> None:
        """Write a template: one or more sentences."""
        chosen = choose(self.rng, template)
        for sentence in _SENTENCES.split(chosen) if '"' not in chosen else [chosen]:
            self.refer.next_sentence()
            parts = _QUOTED.split(sentence)
            both = {**self.cast, **roles}
            text = "".join(fill(self.refer, part, both, speech=part.startswith('"')) for part in parts)
            if text.strip():
                self.sentences.append(tidy(text) + " ")

    def maybe(self, probability: float, template: str, **roles: Entity | str) -> None:
        """Write a template, or not."""
        if self.chance(probability):
            self.say(template, **roles)

    def paragraph(self, probability: float = 1.0) -> None:
        """Begin a new paragraph."""
        if self.sentences and self.chance(probability):
            self.sentences[-1] = self.sentences[-1].rstrip() + "\n\n"

    def do(self, action: str, *parts: object) -> None:
        """Change the state; see `State.do`."""
        self.state.do(action, *parts)

    def speak(self, who: Entity, text: str, mood: str = "", to: Entity | None = None, answer: bool = False, **roles: Entity | str) -> None:
        """Let somebody say something. The text ends with its own sign."""
        said = choose(self.rng, text).strip()
        end = said[-1]
        verb = self.rng.choice({"?": _ASKED, "!": _CRIED}.get(end, _SAID).split("|"))
        if (
            (verb in ("replied", "answered", "explained") and not answer)
            or (verb in ("cried", "shouted", "exclaimed") and mood == "kind")
            or (verb == "whispered" and mood in ("happy", "eager", "angry"))
        ):
            verb = "said"
        how = self.rng.choice(ADVERBS[mood].split("|")) if self.chance(0.45) else ""
        if (verb == "whispered" and "voice" in how) or (
            verb in ("cried", "shouted", "exclaimed") and ("whisper" in how or "quietly" in how or "small voice" in how)
        ):
            how = ""
        whom = " to {to:o}" if to and verb == "said" and self.chance(0.25) else ""
        shown = said[:-1] + "," if end == "." else said
        noun = who.pronoun != "I" and not self.refer.clear(who)
        tag = f"{verb} {{me:n}}" if noun and self.chance(0.6) else f"{{me}} {verb}"
        how = f" {how}" if how else ""
        form = self.rng.random()
        first, split, rest = re.match(r"([^.!?]*)([.!?]?)(.*)", said, re.DOTALL).groups()  # type: ignore[union-attr]
        if form < 0.25:
            told = f'{{me}} {verb}{whom}{how}, "{said}"' if self.chance(0.8) or how else f'{{me}} {verb}: "{said}"'
        elif rest.strip() and form < 0.6:
            tag = tag if split == "?" else tag.replace("asked", "said")
            told = f'"{first}{"," if split == "." else split}" {tag}{whom}{how}. "{rest.strip()}"'
        else:
            told = f'"{shown}" {tag}{whom}{how}.'
        self.say(told, me=who, **({"to": to} if to else {}), **roles)

    def feel(self, who: Entity, feeling: str, why: str = "", **roles: Entity | str) -> None:
        """Say how somebody feels, and perhaps why (a clause without "because")."""
        self.do("feel", who, feeling, why)
        word = self.rng.choice(FEELINGS[feeling].split("|"))
        sign = self.rng.choice(SIGNS[feeling].split("|")).replace("{h", "{me") if feeling in SIGNS else ""
        verb = self.rng.choice(["was", "was", "felt"])
        form = self.rng.random()
        if why and form < 0.75:
            told = self.rng.choice(
                [
                    f"{{me}} {verb} {word} because {why}.",
                    f"{{me}} {verb} {word}, for {why}.",
                    f"Because {why}, {{me}} {verb} {word}.",
                    f"{{me}} {verb} {word} that {why}."
                    if feeling in ("happy", "sad", "proud", "relieved", "surprised", "thankful", "worried")
                    else f"{{me}} {verb} {word} because {why}.",
                ]
            )
        elif sign and form < 0.85:
            told = self.rng.choice(
                [
                    f"{sign}.",
                    f"{{me}} {verb} {word}. {sign}.",
                    f"{{me}} was so {word.replace('very ', '').replace('so ', '')} that {sign.replace('{me}', '{me:p}')}."
                    if len(word.split()) == 1 and "{me}" in sign
                    else f"{sign}.",
                ]
            )
        else:
            told = self.rng.choice(
                [
                    f"{{me}} {verb} {word}.",
                    f"How {word.replace('very ', '').replace('so ', '')} {{me}} was!"
                    if len(word.split()) == 1
                    else f"{{me}} {verb} {word}.",
                ]
            )
        self.say(told, me=who, **roles)

    def _introduce(self, friend: Entity) -> None:
        if len(self.sentences) > 4 or friend.owner_word or self.chance(0.3):
            return
        who = (
            "{new:n}"
            if friend.name and friend.kind == "person" and friend.noun in ("girl", "boy")
            else "{new:a} called {new:n}"
            if friend.name
            else "{new:a}"
        )
        self.say(
            f"[{{h:s}} best friend was {who}|{{h}} had a [good |dear |]friend: {who}|{{h}} and {{h:ps}} friend, {who}, did many things together|Next door lived {who}|{{h}} often met {who}|{who} was {{h:s}} friend|Not far away lived {who}].",
            new=friend,
        )

    def place(self, but: Place | None = None) -> Place:
        """A place of this setting, not one that was used."""
        free = [place for place in self.setting.places if place is not but and place.noun not in self.taken_nouns]
        chosen = self.rng.choice(free or self.setting.places)
        self.taken_nouns.add(chosen.noun)
        self.plot.append(chosen.noun)
        return chosen

    def spot(self) -> str:
        """Where a small thing can lie: "under the bed"."""
        free = [spot for spot in self.setting.spots if spot not in self.taken_nouns]
        chosen = self.rng.choice(free or self.setting.spots)
        self.taken_nouns.add(chosen)
        self.plot.append(chosen)
        return chosen

    def sight(self, probability: float = 0.5) -> None:
        """Something to see or hear here."""
        if self.chance(probability):
            sight = self.rng.choice(self.setting.sights)
            if sight not in self.taken_nouns:
                self.taken_nouns.add(sight)
                self.say(f"{sight}.")
