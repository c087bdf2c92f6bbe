"""Eviction notice: a visitor whose model was unloaded meanwhile is told once; their run is kept in full."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.language import _
from core.models.registry import Eviction
from pages.ui.server import loaded_models
from pages.ui.session.state import Session, notify

if TYPE_CHECKING:
    from core import Generation
    from core.generation.replay import Replay


def set_run(session: Session, fresh: Generation | Replay) -> None:
    """This is their run from now on; what happened to its model before is nothing they would miss."""
    session.run, session.evictions_seen = fresh, _eviction(fresh).times


def notify_if_evicted(session: Session) -> None:
    """Say it if the run's model was unloaded since. Play ends then: two who play would take the memory from each other at every step."""
    made = session.run
    eviction = Eviction() if made is None else _eviction(made)
    if made is not None and eviction.times > session.evictions_seen:
        session.evictions_seen, session.playing = eviction.times, False
        why = (
            _("to make room for {other}").format(other=loaded_models.title(eviction.made_room_for))
            if eviction.made_room_for
            else _("because somebody asked for its memory")
        )
        notify(
            _("{name} was put away {why}. Your text is safe, and going on loads it again.").format(
                name=loaded_models.title(made.model_name), why=why
            )
        )


def _eviction(made: Generation | Replay) -> Eviction:
    from core.generation.replay import RecordedModel

    return Eviction() if isinstance(made.model, RecordedModel) else loaded_models.eviction(made.model)
