"""What is true in the world: entities, their properties, and actions with conditions and effects."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(eq=False, slots=True)
class Entity:
    """A person, an animal or a thing.

    pronoun: he, she, it, they, we, or I for the one who tells. label: what others call a narrator. owner_word: "my" for "my dog".
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


@dataclass(frozen=True, slots=True)
class Event:
    """One action that happened: its name and who or what took part. Places are plain text."""

    action: str
    parts: tuple[object, ...]


class Impossible(Exception):
    """An action whose condition does not hold."""


@dataclass(slots=True)
class State:
    """Who holds, owns, is where, feels how; and the events so far."""

    holder: dict[Entity, Entity] = field(default_factory=dict)
    owner: dict[Entity, Entity] = field(default_factory=dict)
    where: dict[Entity, str] = field(default_factory=dict)
    feels: dict[Entity, str] = field(default_factory=dict)
    flags: set[tuple[Entity, str]] = field(default_factory=set)
    events: list[Event] = field(default_factory=list)

    def do(self, action: str, *parts: object) -> None:
        """Carry out an action. Raises Impossible if its condition does not hold."""
        getattr(self, f"_{action}")(*parts)
        self.events.append(Event(action, parts))

    def replayed(self) -> State:
        """A new state in which the same events happened again."""
        new = State()
        for event in self.events:
            new.do(event.action, *event.parts)
        return new

    def find_event(self, action: str) -> Event | None:
        """The last event of this kind."""
        return next((event for event in reversed(self.events) if event.action == action), None)

    def _need(self, holds: bool, what: str) -> None:
        if not holds:
            raise Impossible(what)

    def _own(self, who: Entity, thing: Entity) -> None:
        self.owner[thing] = who
        self.holder[thing] = who
        self.where.pop(thing, None)

    def _belongs(self, thing: Entity, who: Entity) -> None:
        self.owner[thing] = who

    def _lie(self, thing: Entity, place: str) -> None:
        self._need(thing not in self.holder, f"somebody holds {thing.label}")
        self.where[thing] = place

    def _go(self, who: Entity, place: str) -> None:
        self.where[who] = place

    def _take(self, who: Entity, thing: Entity) -> None:
        self._need(thing not in self.holder, f"somebody holds {thing.label}")
        self._need((thing, "eaten") not in self.flags, f"{thing.label} is gone")
        self.holder[thing] = who
        self.where.pop(thing, None)

    def _find(self, who: Entity, thing: Entity, place: str) -> None:
        self._need(self.where.get(thing) == place, f"{thing.label} is not {place}")
        self.where.pop(thing)
        self.holder[thing] = who

    def _lose(self, who: Entity, thing: Entity, place: str) -> None:
        self._need(self.holder.get(thing) is who, f"{who.label} does not hold {thing.label}")
        del self.holder[thing]
        self.where[thing] = place

    def _steal(self, who: Entity, thing: Entity, victim: Entity) -> None:
        self._need(self.holder.get(thing) is victim, f"{victim.label} does not hold {thing.label}")
        self.holder[thing] = who

    def _give(self, who: Entity, thing: Entity, to: Entity) -> None:
        self._need(self.holder.get(thing) is who, f"{who.label} does not hold {thing.label}")
        self.holder[thing] = to

    def _present(self, who: Entity, thing: Entity, to: Entity) -> None:
        self._give(who, thing, to)
        self.owner[thing] = to

    def _break(self, thing: Entity) -> None:
        self._need((thing, "broken") not in self.flags, f"{thing.label} is broken already")
        self.flags.add((thing, "broken"))

    def _mend(self, who: Entity, thing: Entity) -> None:
        self._need((thing, "broken") in self.flags, f"{thing.label} is not broken")
        self.flags.discard((thing, "broken"))

    def _eat(self, who: Entity, thing: Entity) -> None:
        self._need((thing, "eaten") not in self.flags, f"{thing.label} is gone")
        self.flags.add((thing, "eaten"))
        self.holder.pop(thing, None)
        self.where.pop(thing, None)

    def _feel(self, who: Entity, feeling: str, why: str = "") -> None:
        self.feels[who] = feeling

    def _be(self, who: Entity, flag: str) -> None:
        self.flags.add((who, flag))

    def _stop(self, who: Entity, flag: str) -> None:
        self._need((who, flag) in self.flags, f"{who.label} is not {flag}")
        self.flags.discard((who, flag))

    def _help(self, who: Entity, whom: Entity, how: str = "") -> None:
        self._need(who is not whom, "nobody helps themselves")

    def _try(self, who: Entity, how: str = "") -> None:
        self._need((who, "asleep") not in self.flags, f"{who.label} is asleep")

    def _want(self, who: Entity, what: str) -> None:
        self._need((who, "asleep") not in self.flags, f"{who.label} is asleep")
