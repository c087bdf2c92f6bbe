"""Eviction notice: shown once to a visitor whose model was unloaded. Their run is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.models.models_in_memory import Eviction
from core.sources.capabilities import Can
from pages.ui.i18n.translation import _
from pages.ui.server import loaded_models
from pages.ui.session.state import Session, notify

if TYPE_CHECKING:
    from core import Generation


def set_run(session: Session, fresh: Generation) -> None:
    """Make this the visitor's run. Earlier evictions of its model are not reported."""
    session.run, session.evictions_seen = fresh, _eviction(fresh).times


def notify_if_evicted(session: Session) -> None:
    """Notify the visitor if the run's model was unloaded, and stop Play: two players would evict each other's model at every step."""
    made = session.run
    eviction = Eviction() if made is None else _eviction(made)
    if made is not None and eviction.times > session.evictions_seen:
        session.evictions_seen, session.playing = eviction.times, False
        why = (
            _("to make room for {other}").format(other=loaded_models.title(eviction.made_room_for))
            if eviction.made_room_for
            else _("because its memory was requested")
        )
        notify(
            _("{name} was unloaded {why}. Your text is kept. The next step loads the model again.").format(
                name=loaded_models.title(made.model_name), why=why
            )
        )


def _eviction(made: Generation) -> Eviction:
    return loaded_models.eviction(made.model) if Can.NEW_TOKENS in made.can else Eviction()
