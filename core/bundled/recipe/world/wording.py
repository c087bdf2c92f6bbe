"""From templates to sentences: alternatives, slots, articles, capitals, pronouns that can only mean one.

`[big|small]` stands for any one of its parts. A slot `{h}` stands for the entity of that role: a pronoun where it is clear who is meant,
else the name or noun. After a colon a slot says its form:

    o object   s possessive   n name or noun   ns its possessive   p po ps always the pronoun   r reflexive
    a with "a" and adjective   t with "the" and adjective   b bare noun   j adjective and noun
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from core.bundled.recipe.world.state import Entity
from core.experiments.shared.questions.grammar import article

PRONOUNS = {
    "he": ("he", "him", "his", "himself"),
    "she": ("she", "her", "her", "herself"),
    "it": ("it", "it", "its", "itself"),
    "they": ("they", "them", "their", "themselves"),
    "I": ("I", "me", "my", "myself"),
    "we": ("we", "us", "our", "ourselves"),
}
_CHOICE = re.compile(r"\[([^\[\]]*)\]")
_SLOT = re.compile(r"\{(\w+)(?::(\w+))?\}")
_START = re.compile(r'(^|[.!?] |[.!?]\n+|\.["\'] |^"|[.!?] "|\n")([a-z])')
_I_FIRST = re.compile(r"\bI and (my (?:(?:big|little|best|class|baby) )?\w+|[A-Z]\w+)")
_FIXED = {"p": 0, "po": 1, "ps": 2, "r": 3}


def choose(rng: Random, text: str) -> str:
    """Choose one part of every bracket, innermost first."""
    while _CHOICE.search(text):
        text = _CHOICE.sub(lambda match: rng.choice(match[1].split("|")), text)
    if "[" in text or "]" in text or "|" in text:
        raise ValueError(f"brackets do not match: {text}")
    return text


def tidy(text: str) -> str:
    """Articles before vowels, single spaces, capitals at the start of sentences."""
    text = _I_FIRST.sub(r"\1 and I", text)
    text = article(re.sub(r" +", " ", text).replace(" .", ".").replace(" ,", ",").strip())
    return _START.sub(lambda match: match[1] + match[2].upper(), text)


def possessive(noun: str) -> str:
    """The possessive of a name or noun.

    >>> possessive("the fox"), possessive("James"), possessive("the children")
    ("the fox's", "James'", "the children's")
    """
    return noun + ("'" if noun.endswith("s") else "'s")


class Reference:
    """Decides how an entity is named, from who was mentioned in this sentence and the one before."""

    def __init__(self, rng: Random, eager: float = 0.6) -> None:
        self.rng, self.eager = rng, eager
        self.now: list[Entity] = []
        self.before: list[Entity] = []

    def next_sentence(self) -> None:
        """Forget all but the last sentence."""
        if self.now:
            self.before, self.now = self.now, []

    def clear(self, entity: Entity) -> bool:
        """True if the pronoun of this entity can only mean it."""
        recent = self.before + self.now
        return entity in recent and not any(other is not entity and other.pronoun == entity.pronoun for other in recent)

    def noun(self, entity: Entity, form: str) -> str:
        """The entity by name or noun: form a ("a red ball"), t ("the red ball"), b, j, or anything else for the usual one."""
        if entity.members:
            return self._pair(entity, form)
        described = f"{entity.adjective} {entity.noun}".strip()
        bare = {"b": entity.noun, "j": described, "a": f"a {described}"}
        if form in bare:
            return bare[form]
        if entity.name and form != "t":
            return entity.name
        return f"{entity.owner_word or 'the'} {described if form == 't' else entity.noun}"

    def _pair(self, entity: Entity, form: str) -> str:
        first, second = entity.members
        if first.pronoun == "I":
            first, second = second, first
        names = [self.noun(first, "n"), "I" if second.pronoun == "I" else self.noun(second, "n")]
        if second.pronoun == "I" and form == "o":
            names[1] = "me"
        return " and ".join(names)

    def __call__(self, entity: Entity, form: str, speech: bool = False) -> str:
        words = PRONOUNS[entity.pronoun]
        if entity.pronoun in ("I", "we"):
            text = words[_FIXED.get(form, {"o": 1, "s": 2, "ns": 2, "no": 1}.get(form, 0))]
        elif form in _FIXED:
            text = words[_FIXED[form]]
        elif form in ("", "o", "s"):
            pronoun = not speech and self.clear(entity) and self.rng.random() < self._chance(entity)
            noun = self.noun(entity, "")
            text = words[{"": 0, "o": 1, "s": 2}[form]] if pronoun else possessive(noun) if form == "s" else noun
        else:
            text = possessive(self.noun(entity, "")) if form == "ns" else self.noun(entity, form)
        if form not in ("b", "j") or entity.kind == "thing":
            self.mention(entity)
        return text

    def _chance(self, entity: Entity) -> float:
        if entity in self.now:
            return 0.85
        return self.eager * (0.6 if entity.kind == "thing" else 1)

    def mention(self, entity: Entity) -> None:
        """Count the entity as named in this sentence."""
        if entity not in self.now:
            self.now.append(entity)


def fill(reference: Reference, text: str, roles: Mapping[str, Entity | str], speech: bool = False) -> str:
    """Fill the slots of one chosen template."""

    def slot(match: re.Match[str]) -> str:
        value = roles[match[1]]
        return value if isinstance(value, str) else reference(value, match[2] or "", speech)

    return _SLOT.sub(slot, text)
