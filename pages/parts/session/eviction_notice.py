"""A visitor whose model was put away meanwhile: their run is kept in full, and they are told once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.models.registry import Absence
from pages.parts.runtime import loaded_models
from pages.parts.session.state import Visitor, say
from pages.parts.text import model_words as words

if TYPE_CHECKING:
    from core import Generation
    from core.generation.replay import Replay


def hold(visitor: Visitor, fresh: Generation | Replay) -> None:
    """This is their run from now on; what happened to its model before is nothing they would miss."""
    visitor.run, visitor.absences = fresh, _absence(fresh).times


def notice(visitor: Visitor) -> None:
    """Say it if the run's model was put away since. Play ends then: two who play would take the memory from each other at every step."""
    made = visitor.run
    absence = Absence() if made is None else _absence(made)
    if made is not None and absence.times > visitor.absences:
        visitor.absences, visitor.playing = absence.times, False
        why = words.ROOM_FOR.format(other=loaded_models.title(absence.made_room_for)) if absence.made_room_for else words.ROOM
        say(words.PUT_AWAY.format(name=loaded_models.title(made.model_name), why=why))


def _absence(made: Generation | Replay) -> Absence:
    from core.generation.replay import RecordedModel

    return Absence() if isinstance(made.model, RecordedModel) else loaded_models.absence(made.model)
