"""Questions about a story just told, with the answer that the state of the world gives."""

from __future__ import annotations

from random import Random

from core.bundled.recipe.world.state import Entity, State
from core.bundled.recipe.world.story import Story

_TELLER = "the one who tells the story"


def questions(tale: Story) -> list[tuple[str, str]]:
    """All (question, answer) pairs that this story allows: who has it, where it was, which colour, who helped, where somebody went."""
    state = tale.state
    pairs: list[tuple[str, str]] = []
    things = {part for event in state.events for part in event.parts if isinstance(part, Entity) and part.kind == "thing"}
    nouns = [thing.noun for thing in things]
    for thing in sorted(things, key=lambda thing: thing.noun):
        if thing.noun not in tale.text or nouns.count(thing.noun) > 1:
            continue
        if thing.colour and f"{thing.colour} {thing.noun}" in tale.text:
            pairs.append((f"What colour was the {thing.noun}?", thing.colour))
        holder = state.holder.get(thing)
        if holder:
            pairs.append((f"Who has the {thing.noun} now?", _label(holder)))
        pairs += _where(state, thing)
    pairs += _helpers(state) + _ways(state)
    # Only what the reader was told can be asked.
    return [
        (question, answer) for question, answer in pairs if answer == _TELLER or answer.removeprefix("the ").lower() in tale.text.lower()
    ]


def _label(who: Entity) -> str:
    return (
        _TELLER
        if who.pronoun == "I"
        else who.label.replace("my ", "the ", 1)
        if who.label.startswith(("my ", "his ", "her "))
        else who.label
    )


def _where(state: State, thing: Entity) -> list[tuple[str, str]]:
    places = [str(event.parts[-1]) for event in state.events if event.action in ("lose", "lie") and thing in event.parts]
    if len(places) != 1:
        return []
    return [(f"Where was the {thing.noun}?", places[0])]


def _helpers(state: State) -> list[tuple[str, str]]:
    helps = [event.parts[:2] for event in state.events if event.action == "help"]
    pairs = {(who, whom) for who, whom in helps if isinstance(who, Entity) and isinstance(whom, Entity)}
    helped = []
    for who, whom in sorted(pairs, key=lambda pair: pair[0].label):
        if sum(other is whom for _, other in pairs) == 1 and whom.pronoun != "I" and not whom.owner_word and not who.owner_word:
            helped.append((f"Who helped {whom.label}?", _label(who)))
    return helped


def _ways(state: State) -> list[tuple[str, str]]:
    ways: dict[Entity, list[str]] = {}
    for event in state.events:
        if event.action == "go" and isinstance(event.parts[0], Entity):
            ways.setdefault(event.parts[0], []).append(str(event.parts[1]))
    return [
        (f"Where did {who.label} go?", f"to the {places[0].split(' the ', 1)[-1]}")
        for who, places in ways.items()
        if len(places) == 1 and who.pronoun != "I" and not who.owner_word
    ]


def asked(rng: Random, tale: Story, most: int = 2) -> str:
    """Some questions and answers, to stand behind the story; empty if there are none."""
    pairs = questions(tale)
    rng.shuffle(pairs)
    return "".join(
        f"\n\nQuestion: {question}\nAnswer: {answer[0].upper()}{answer[1:]}." for question, answer in pairs[: rng.randint(1, most)]
    )
