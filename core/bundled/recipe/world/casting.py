"""Who takes part in a story: heroes, friends, helpers and things, each new to the story."""

from __future__ import annotations

from random import Random

from core.bundled.recipe.world.scripts import CAST
from core.bundled.recipe.world.state import Entity

_HEROES = {"child": 30, "animal": 27, "grown": 11, "tale": 12, "alive": 6, "I": 9, "my": 7}
_PETS = ("dog", "cat", "horse", "hamster", "parrot", "rabbit", "goldfish", "puppy", "kitten", "pony")


class Casting:
    """The part of a story that chooses who is in it."""

    rng: Random
    cast: dict[str, Entity | str]
    taken_names: set[str]
    taken_nouns: set[str]
    setting: str
    hero: Entity
    plot: list[str]

    def begin(self, kinds: str) -> Entity:
        """Choose the hero, role h, and the setting."""
        wanted = {kind: weight for kind, weight in _HEROES.items() if kind in kinds.split()}
        kind = self.rng.choices(list(wanted), list(wanted.values()))[0]
        hero = self._hero(kind)
        hero.role = kind
        self.setting = hero.setting
        self.cast["h"] = self.hero = hero
        self.plot.append(hero.label)
        return hero

    def _hero(self, kind: str) -> Entity:
        if kind == "child":
            return self.child()
        if kind == "animal":
            return self.animal(named=0.45)
        if kind in ("grown", "tale"):
            return self.person([noun for noun in CAST["people"] if (noun in CAST["tale"]) == (kind == "tale")], named=0.35)
        if kind == "alive":
            noun = self.rng.choice(list(CAST["alive"]))
            home, setting = CAST["alive"][noun]
            pronoun = "it" if self.rng.random() < 0.6 else self.rng.choice(["he", "she"])
            name = self.name(CAST["pets"]) if self.rng.random() < 0.3 and pronoun != "it" else ""
            adjective = "" if " " in noun else self.rng.choice(["little", "old", "small", "", "lonely", "brave", "cheerful", "last"])
            return Entity("alive", noun, pronoun, name, adjective=adjective, home=home, setting=setting)
        setting = self.rng.choice(["house", "village", "town", "farm", "house", "town", "village", "sea"])
        if kind == "I":
            return Entity("person", "child", "I", home="house", setting=setting)
        self.rng.random()  # keeps the stories that a seed gave before
        noun, pronoun = self.rng.choice(CAST["my"]).rsplit(" ", 1)
        if noun.startswith("dog"):
            noun, pronoun = "dog", self.rng.choice(["he", "she"])
        pet = noun in _PETS
        name = self.name(CAST["pets"]) if pet and self.rng.random() < 0.6 else ""
        self.taken_nouns.add(noun)
        return Entity("animal" if pet else "person", noun, pronoun, name, owner_word="my", home="house", setting=setting)

    def entity(self, role: str) -> Entity:
        """The one who has this role."""
        entity = self.cast[role]
        assert isinstance(entity, Entity)
        return entity

    def name(self, pool: list[str]) -> str:
        """A name that nobody else in this story has, and no other with the same first letter if possible."""
        free = [name for name in pool if name not in self.taken_names and name[0] not in {taken[0] for taken in self.taken_names}]
        chosen = self.rng.choice(free or pool)
        self.taken_names.add(chosen)
        return chosen

    def child(self, pronoun: str = "") -> Entity:
        """A girl or a boy with a name."""
        pronoun = pronoun or self.rng.choice(["she", "he"])
        setting = self.rng.choice(
            ["house", "village", "town", "farm", "sea", "mountain", "house", "village", "town", "house", "forest", "snow", "desert", "lake"]
        )
        noun, pool = ("girl", CAST["girls"]) if pronoun == "she" else ("boy", CAST["boys"])
        return Entity("person", noun, pronoun, self.name(pool), self.rng.choice(["", *CAST["child_traits"]]), home="house", setting=setting)

    def animal(self, setting: str = "", skill: str = "", named: float = 0.0, kinds: list[str] | None = None) -> Entity:
        """An animal that lives in this setting and can do this, if there is one."""
        near = CAST["near"].get(setting, [])
        free = [noun for noun in kinds or CAST["animals"] if noun not in self.taken_nouns]
        here = [
            noun for noun in free if (not near or CAST["animals"][noun][1] in near) and (not skill or skill in CAST["animals"][noun][2])
        ]
        noun = self.rng.choice(here or [noun for noun in free if not skill or skill in CAST["animals"][noun][2]] or free)
        self.taken_nouns.add(noun)
        home, habitat, skills = CAST["animals"][noun]
        pronoun = {"rooster": "he", "hen": "she", "cow": "she"}.get(noun) or self.rng.choice(["he", "she"])
        name = (
            self.name(CAST["pets"] + CAST["girls"][:20] * (pronoun == "she") + CAST["boys"][:20] * (pronoun == "he"))
            if self.rng.random() < named
            else ""
        )
        if name in CAST["girls"] or name in CAST["boys"]:
            pronoun = "she" if name in CAST["girls"] else "he"
        adjective = self.rng.choice(["", *CAST["animal_traits"]])
        wrong = {"little", "small", "thin"} if "big" in skills else {"fat"} if "small" in skills else set()
        if (
            adjective in wrong
            or (adjective in ("grey", "brown", "white") and " " in noun)
            or (adjective in ("young", "old") and noun in ("puppy", "kitten", "chick", "lamb", "duckling"))
        ):
            adjective = ""
        return Entity("animal", noun, pronoun, name, adjective, skills=frozenset(skills.split()), home=home, setting=habitat)

    def person(self, kinds: list[str] | None = None, skill: str = "", named: float = 0.0) -> Entity:
        """A grown-up or somebody of the tales."""
        free = [
            noun for noun in kinds or CAST["people"] if noun not in self.taken_nouns and (not skill or skill in CAST["people"][noun][3])
        ]
        noun = self.rng.choice(free or kinds or list(CAST["people"]))
        self.taken_nouns.add(noun)
        pronouns, home, setting, skills = CAST["people"][noun]
        pronoun = self.rng.choice(pronouns.split())
        name = (
            self.name(CAST["girls"] if pronoun == "she" else CAST["boys"])
            if self.rng.random() < named and not noun.startswith(("old ", "young "))
            else ""
        )
        adjective = self.rng.choice(["", *CAST["grown_traits"]]) if not noun.startswith(("old ", "young ")) else ""
        if noun in ("dwarf", "elf", "fairy", "goblin", "giant") and adjective in ("tall", "short"):
            adjective = ""
        if noun in ("grandmother", "grandfather") and adjective == "young":
            adjective = "old"
        return Entity("person", noun, pronoun, name, adjective, skills=frozenset(skills.split()), home=home, setting=setting)

    def companion(self, other: bool = False) -> Entity:
        """A companion who fits the hero: children have friends and family, animals animals."""
        human = self.hero.kind == "person"
        different = {"he": "she", "she": "he"}.get(self.hero.pronoun, "") if self.rng.random() < 0.6 else ""
        if self.hero.role in ("child", "I") and not other and self.rng.random() < 0.45:
            noun, pronoun = self.rng.choice([row for row in CAST["family"] if not different or row.endswith(different)]).rsplit(" ", 1)
            word = {"he": "his", "she": "her", "I": "my"}[self.hero.pronoun]
            return Entity("person", noun, pronoun, owner_word=word, home="house")
        if self.hero.role in ("child", "I", "my") and human:
            return self.child(different)
        if self.hero.role == "grown" or (self.hero.role == "tale" and self.rng.random() < 0.5):
            return self.person(named=0.3) if self.rng.random() < 0.6 else self.child(different)
        return self.animal(self.hero.setting, named=0.25)

    def pair(self, first: Entity, second: Entity) -> Entity:
        """Two together: "they" or "we"."""
        return Entity("pair", "two", "we" if "I" in (first.pronoun, second.pronoun) else "they", members=(first, second))

    def helper(self, skill: str = "", role: str = "g") -> Entity:
        """Somebody met on the way, who can do something."""
        animal = self.hero.kind == "animal" or (self.hero.role in ("tale", "alive") and self.rng.random() < 0.5) or self.rng.random() < 0.2
        chosen = self.animal(self.hero.setting, skill) if animal or skill in ("fly", "dig", "run") else self.person(skill=skill)
        chosen.adjective = chosen.adjective or self.rng.choice(["old", "big", "friendly", ""])
        if "small" in chosen.skills and chosen.adjective == "big":
            chosen.adjective = "tiny"
        self.cast[role] = chosen
        self.plot.append(chosen.label)
        return chosen

    def thing(self, kinds: str = "toy wear household treasure tool", role: str = "t", coloured: float = 0.75) -> Entity:
        """A small thing, with a colour or another quality."""
        noun = "~"
        for _ in range(50):
            noun = self.rng.choice(CAST["things"][self.rng.choice(kinds.split())])
            if noun.lstrip("~") not in self.taken_nouns:
                break
        colour = self.rng.choice(CAST["colours"]) if noun.startswith("~") and self.rng.random() < coloured else ""
        noun = noun.lstrip("~")
        self.taken_nouns.add(noun)
        quality = colour or (
            self.rng.choice(["", "little", "old", "beautiful", "new", "tiny", "strange", "pretty"]) if " " not in noun else ""
        )
        thing = Entity("thing", noun, "it", adjective=quality, colour=colour)
        self.cast[role] = thing
        self.plot.append(f"{quality} {noun}")
        return thing
