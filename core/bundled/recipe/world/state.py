"""What is true in the world: entities, who holds which thing, where things lie, and what happened."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Entity:
    """A person, an animal or a thing.

    pronoun: he, she, it, they, we, or I for the one who tells. owner_word: "my" for "my dog". role: the kind of a hero.
    """

    kind: str
    noun: str
    pronoun: str = "it"
    name: str = ""
    adjective: str = ""
    owner_word: str = ""
    role: str = ""
    skills: frozenset[str] = frozenset()
    home: str = ""
    setting: str = ""
    colour: str = ""
    members: tuple[Entity, ...] = ()

    @property
    def label(self) -> str:
        """A short name for a log or an answer: "Mia", "the fox", "I"."""
        if self.members:
            return " and ".join(member.label for member in self.members)
        return "I" if self.pronoun == "I" else self.name or f"{self.owner_word or 'the'} {self.noun}"

    def describe(self, adjective: str) -> None:
        """Change the adjective."""
        self.adjective = adjective


@dataclass(frozen=True, slots=True)
class Event:
    """One action that happened: its name and who or what took part. Places are plain text."""

    action: str
    parts: tuple[object, ...]


class Impossible(Exception):
    """An action whose condition does not hold."""


@dataclass(slots=True)
class State:
    """Who holds which thing, where the others lie and everybody is, and the events so far."""

    holder: dict[Entity, Entity] = field(default_factory=dict)
    where: dict[Entity, str] = field(default_factory=dict)
    events: list[Event] = field(default_factory=list)

    def do(self, action: str, *parts: object) -> None:
        """Carry out an action. Raises Impossible if its condition does not hold."""
        getattr(self, f"_{action}")(*parts)
        self.events.append(Event(action, parts))

    def _need(self, holds: bool, what: str) -> None:
        if not holds:
            raise Impossible(what)

    def _own(self, who: Entity, thing: Entity) -> None:
        self.holder[thing] = who
        self.where.pop(thing, None)

    def _lie(self, thing: Entity, place: str) -> None:
        self._need(thing not in self.holder, f"somebody holds {thing.label}")
        self.where[thing] = place

    def _go(self, who: Entity, place: str) -> None:
        self.where[who] = place

    def _take(self, who: Entity, thing: Entity) -> None:
        self._need(thing not in self.holder, f"somebody holds {thing.label}")
        self._own(who, thing)

    def _find(self, who: Entity, thing: Entity, place: str) -> None:
        self._need(self.where.get(thing) == place, f"{thing.label} is not {place}")
        self._own(who, thing)

    def _lose(self, who: Entity, thing: Entity, place: str) -> None:
        self._need(self.holder.get(thing) is who, f"{who.label} does not hold {thing.label}")
        del self.holder[thing]
        self.where[thing] = place

    def _steal(self, who: Entity, thing: Entity, victim: Entity) -> None:
        self._give(victim, thing, who)

    def _give(self, who: Entity, thing: Entity, to: Entity) -> None:
        self._need(self.holder.get(thing) is who, f"{who.label} does not hold {thing.label}")
        self.holder[thing] = to

    def _break(self, thing: Entity) -> None:
        """Nothing else changes, but the thing can be asked about."""

    def _eat(self, who: Entity, thing: Entity) -> None:
        self.holder.pop(thing, None)
        self.where.pop(thing, None)

    def _help(self, who: Entity, whom: Entity) -> None:
        self._need(who is not whom, "nobody helps themselves")
