"""The beginning of the visitor's run from model, prompt and settings, or a refusal; an unloaded model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core import SamplingSettings
from core.errors import PromptTooLong, ViewerError
from core.models.models_in_memory import Eviction
from core.sources.capabilities import Can
from pages.ui.i18n import numbers
from pages.ui.i18n.translation import _
from pages.ui.server import offered_models
from pages.ui.session import share_link
from pages.ui.session.live_state import Player
from pages.ui.session.notices import notify
from pages.ui.session.run_request import BegunRun, RunRequest
from pages.ui.session.state import Session

if TYPE_CHECKING:
    from core import Generation
    from core.engine.model import LanguageModel

CANDIDATES_RECORDED = 50  # candidates recorded at every step; the page shows 5 to 50 of them


def set_run(session: Session, fresh: Generation) -> None:
    """Make this the visitor's run. Earlier evictions of its model are not reported."""
    session.run, session.models.evictions_seen = fresh, _eviction(fresh).times
    session.live.run_number += 1


def notify_if_evicted(session: Session) -> None:
    """Notify the visitor if the run's model was unloaded, and stop Play: two players would evict each other's model at every step."""
    run = session.run
    eviction = Eviction() if run is None else _eviction(run)
    if run is not None and eviction.times > session.models.evictions_seen:
        session.models.evictions_seen, session.player.playing = eviction.times, False
        why = (
            _("to make room for {other}").format(other=offered_models.title(eviction.made_room_for))
            if eviction.made_room_for
            else _("because its memory was requested")
        )
        notify(
            _("{name} was unloaded {why}. Your text is kept. The next step loads the model again.").format(
                name=offered_models.title(run.model_name), why=why
            )
        )


def _eviction(run: Generation) -> Eviction:
    return offered_models.eviction(run.model) if Can.NEW_TOKENS in run.can else Eviction()


def begin(session: Session, wanted: RunRequest, model: LanguageModel, settings: SamplingSettings) -> None:
    """Begin a run of this prompt. If that is impossible, set `BegunRun.refusal` and keep the old run for its own prompt."""
    begun = session.begun
    if begun.refusal is not None and begun.asked is not None and begun.of_run == wanted:
        begun.asked, begun.refusal = wanted, None
        return
    put_aside_already, begun.asked = begun.asked is None, wanted
    try:
        fresh = _generation(wanted, model, settings)
    except ViewerError as error:
        begun.refusal, session.player.playing = error, False
        return
    replace_run(session, fresh, wanted, put_aside_already)


def _generation(wanted: RunRequest, model: LanguageModel, settings: SamplingSettings) -> Generation:
    from core import Generation

    if len(wanted.prompt) > share_link.LONGEST_PROMPT:
        raise PromptTooLong(
            _("The prompt is longer than {most} characters, the limit of this app. Shorten it.").format(
                most=numbers.whole(share_link.LONGEST_PROMPT)
            )
        )
    offered_models.ensure_model_loaded(model)
    return Generation(model, wanted.messages or wanted.prompt, settings, top_n=CANDIDATES_RECORDED)


def replace_run(session: Session, fresh: Generation, wanted: RunRequest, put_aside_already: bool = False) -> None:
    """Make this the visitor's run. The old run is saved for undo. Its cache is released, or goes on to the next run of a conversation."""
    if session.run is not None:
        if not put_aside_already:
            session.save_run()
        hand_over_cache(session.run, fresh)
    session.begun = BegunRun(wanted, wanted)
    set_run(session, fresh)
    session.player = Player(clicks=session.player.clicks + 1)


def hand_over_cache(old: Generation, new: Generation) -> None:
    """Give the cache of a conversation to the next run of it, so that only what differs is computed; release any other cache."""
    if old.messages and new.messages and old.model is new.model and Can.TOKEN_IDS in new.can:
        new.cache = old.cache
    elif old.cache is not new.cache:
        old.release()
