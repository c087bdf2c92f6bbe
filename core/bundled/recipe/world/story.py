"""One story on its way: its cast, its state, and the sentences told so far."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from core.bundled.recipe.world.casting import Casting
from core.bundled.recipe.world.scripts import PLACES, SCRIPTS, SETTINGS, TABLES, WORDING, Place
from core.bundled.recipe.world.state import Entity, State
from core.bundled.recipe.world.wording import Reference, choose, fill, tidy

_QUOTED = re.compile(r'("[^"]*")')
_SENTENCES = re.compile(r"(?<=[.!?]) (?=[A-Z{])")
# A line of a script: probability, "we", the speaker with mood, listener and whether it is an answer, and the text.
_LINE = re.compile(r"(?:(0\.\d+)\? )?(we: )?(?:@(\w+)( \w*)??(?: to (\w+))?( answering)?: )?(.*)")
_SAID = "said|said|said|said|said|said|replied|answered|explained|whispered"
_ASKED = "asked|asked|asked|asked|said"
_CRIED = "cried|cried|shouted|called|said|said|exclaimed"
# The methods that scripts call, beside those that `play` names.
_COMMANDS = """animal attempts chance child companion ending feel friend helper later name one own pair paragraph person
pick place play role say sight spot thing today""".split()
_OF_TWO = ("{f", "{both}", "[They ", " them ")  # an ending with one of these needs a friend


class Story(Casting):
    """Tell what happens and keep it true.

    `play` runs a script, `say` writes a template, `speak` lets somebody talk, `do` changes the state. Roles named in templates are those of
    `cast`: h the hero, f a friend, t a thing, and whatever a plot adds.
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
        self.setting = "village"
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

    def play(self, script: str, **values: Any) -> None:
        """Run a script; see `scripts.py`. `values` are names that it uses."""
        words: dict[str, Any] = {command: getattr(self, command) for command in _COMMANDS}
        words |= {"act": self.state.do, "cast": self.cast, "h": self.hero, "note": self.plot.append, "plot": self.plot}
        words |= {"Entity": Entity, "refer": self.refer, "rng": self.rng}
        rest = ""
        for part in SCRIPTS.get_template(script).generate(TABLES[script] | words | values):
            *lines, rest = (rest + part).split("\n")
            for line in lines:
                self.tell(line.strip())
        self.tell(rest.strip())

    def tell(self, line: str) -> None:
        """Tell one line of a script."""
        match = _LINE.fullmatch(line)
        assert match
        probability, we, who, mood, to, answering, text = match.groups()
        if not text or (probability and not self.chance(float(probability))):
            return
        if we and self.hero.pronoun == "I":
            text = text.replace("they", "we").replace("They", "We").replace("them", "us")
        if who:
            self.speak(self.entity(who), text, (mood or "").strip(), self.entity(to) if to else None, bool(answering))
        else:
            self.say(text)

    def one(self, *options: Any) -> Any:
        """One of these."""
        return self.rng.choice(options)

    def role(self, name: str, value: Entity | str) -> Entity | str:
        """Give somebody or something a role, and return it."""
        self.cast[name] = value
        return value

    def today(self) -> str:
        """A time to begin a sentence with, or nothing."""
        if self.dated:
            return self.rng.choice(["", "", "[suddenly|then|a little later|all at once|after a while|at that moment|soon],"])
        self.dated = self.chance(0.8)
        return f"[{WORDING['one_day']}]," if self.dated else ""

    def later(self) -> str:
        """A later time, to begin a sentence with."""
        return f"[{WORDING['later']}][,|,|]"

    def attempts(self, tries: list[str], *counts: int) -> None:
        """Say some of these, which did not help."""
        for attempt in self.rng.sample(tries, self.rng.choice(counts)):
            self.say(attempt)

    def own(self, kinds: str = "toy wear household treasure tool") -> Entity:
        """The hero has a thing and, often, likes it."""
        thing = self.thing(kinds)
        self.state.do("own", self.hero, thing)
        self.play("own")
        return thing

    def ending(self) -> None:
        """One or two closing sentences. Roles that the templates name must be in the cast."""
        friend, thing = self.cast.get("f"), self.cast.get("t")
        free = [
            template
            for template in WORDING["endings"]
            if (thing or "{t" not in template) and (friend or not any(sign in template for sign in _OF_TWO))
        ]
        if isinstance(friend, Entity):
            self.cast["both"] = self.pair(self.hero, friend)
        self.paragraph(0.25)
        template = self.rng.choice(free)
        if isinstance(thing, Entity) and self.state.holder.get(thing) is not self.hero:
            template = template.replace("|dreamed of {t:t}", "").replace("|kept {t:t} in a safe place", "")
        morals = WORDING["morals"]
        self.cast["moral"] = self.rng.choice(morals.get(self.plot[0], morals[""]))
        self.tell("we: " + (template.replace("{both}", "they") if self.hero.owner_word else template))

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

    def paragraph(self, probability: float) -> None:
        """Begin a new paragraph."""
        if self.sentences and self.chance(probability):
            self.sentences[-1] = self.sentences[-1].rstrip() + "\n\n"

    def speak(self, who: Entity, text: str, mood: str = "", to: Entity | None = None, answer: bool = False) -> None:
        """Let somebody say something. The text ends with its own sign."""
        speech = choose(self.rng, text).strip()
        end = speech[-1]
        verb = self.rng.choice({"?": _ASKED, "!": _CRIED}.get(end, _SAID).split("|"))
        if (
            (verb in ("replied", "answered", "explained") and not answer)
            or (verb in ("cried", "shouted", "exclaimed") and mood == "kind")
            or (verb == "whispered" and mood in ("happy", "eager", "angry"))
        ):
            verb = "said"
        how = self.rng.choice(WORDING["adverbs"][mood]) if self.chance(0.45) else ""
        if (verb == "whispered" and "voice" in how) or (
            verb in ("cried", "shouted", "exclaimed") and ("whisper" in how or "quietly" in how or "small voice" in how)
        ):
            how = ""
        whom = " to {to:o}" if to and verb == "said" and self.chance(0.25) else ""
        shown = speech[:-1] + "," if end == "." else speech
        noun = who.pronoun != "I" and not self.refer.clear(who)
        tag = f"{verb} {{me:n}}" if noun and self.chance(0.6) else f"{{me}} {verb}"
        how = f" {how}" if how else ""
        form = self.rng.random()
        first, split, rest = re.match(r"([^.!?]*)([.!?]?)(.*)", speech, re.DOTALL).groups()  # type: ignore[union-attr]
        if form < 0.25:
            sentence = f'{{me}} {verb}{whom}{how}, "{speech}"' if self.chance(0.8) or how else f'{{me}} {verb}: "{speech}"'
        elif rest.strip() and form < 0.6:
            tag = tag if split == "?" else tag.replace("asked", "said")
            sentence = f'"{first}{"," if split == "." else split}" {tag}{whom}{how}. "{rest.strip()}"'
        else:
            sentence = f'"{shown}" {tag}{whom}{how}.'
        self.say(sentence, me=who, **({"to": to} if to else {}))

    def feel(self, who: Entity, feeling: str, why: str = "") -> None:
        """Say how somebody feels, and perhaps why (a clause without "because")."""
        word = self.rng.choice(WORDING["feelings"][feeling])
        sign = self.rng.choice(WORDING["signs"][feeling]).replace("{h", "{me") if feeling in WORDING["signs"] else ""
        verb = self.rng.choice(["was", "was", "felt"])
        form = self.rng.random()
        if why and form < 0.75:
            sentence = self.rng.choice(
                [
                    f"{{me}} {verb} {word} because {why}.",
                    f"{{me}} {verb} {word}, for {why}.",
                    f"Because {why}, {{me}} {verb} {word}.",
                    f"{{me}} {verb} {word} that {why}."
                    if feeling in ("happy", "sad", "proud", "relieved", "surprised", "thankful") and "so " not in word
                    else f"{{me}} {verb} {word} because {why}.",
                ]
            )
        elif sign and form < 0.85:
            sentence = self.rng.choice(
                [
                    f"{sign}.",
                    f"{{me}} {verb} {word}. {sign}.",
                    f"{{me}} was so {word.replace('very ', '').replace('so ', '')} that {sign.replace('{me}', '{me:p}')}."
                    if len(word.split()) == 1 and "{me}" in sign
                    else f"{sign}.",
                ]
            )
        else:
            sentence = self.rng.choice(
                [
                    f"{{me}} {verb} {word}.",
                    f"How {word.replace('very ', '').replace('so ', '')} {{me}} was!"
                    if len(word.split()) == 1
                    else f"{{me}} {verb} {word}.",
                ]
            )
        self.say(sentence, me=who)

    def friend(self, other: bool = False) -> Entity:
        """The companion of the hero, new unless the story began with one. `other`: not of the family."""
        existing = self.cast.get("f")
        if isinstance(existing, Entity) and not (other and existing.owner_word):
            return existing
        friend = self.companion(other)
        self.cast["f"], self.cast["both"] = friend, self.pair(self.hero, friend)
        self.plot.append(friend.label)
        if len(self.sentences) <= 4 and not friend.owner_word and not self.chance(0.3):
            self.play("introduce", f=friend)
        return friend

    def place(self) -> Place:
        """A place of this setting, not one that was used."""
        places = PLACES[self.setting]
        chosen = self.rng.choice([place for place in places if place.noun not in self.taken_nouns] or places)
        self.taken_nouns.add(chosen.noun)
        self.plot.append(chosen.noun)
        return chosen

    def spot(self) -> str:
        """Where a small thing can lie: "under the bed"."""
        spots = SETTINGS[self.setting]["spots"]
        chosen = self.rng.choice([spot for spot in spots if spot not in self.taken_nouns] or spots)
        self.taken_nouns.add(chosen)
        self.plot.append(chosen)
        return chosen

    def sight(self, probability: float) -> None:
        """Something to see or hear here."""
        if self.chance(probability):
            sight = self.rng.choice(SETTINGS[self.setting]["sights"])
            if sight not in self.taken_nouns:
                self.taken_nouns.add(sight)
                self.say(f"{sight}.")
