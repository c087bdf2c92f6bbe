"""Start of a run from model, prompt and settings, or a refusal with its reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from core import SamplingSettings
from core.errors import PromptTooLong, ViewerError
from core.remote.listed_model import ListedModel
from pages.ui.i18n import numbers
from pages.ui.i18n.language import _
from pages.ui.server import loaded_models
from pages.ui.session import eviction_notice, share_link
from pages.ui.session.state import Session

if TYPE_CHECKING:
    from core import Generation
    from core.engine.model import LanguageModel
    from core.generation.replay import Replay

LISTED = 50  # candidates kept at every step; the page shows 5 to 50 of them
Wanted = tuple[str, str, bool]  # the model, the prompt and whether as a chat


def begin(session: Session, wanted: Wanted, model: LanguageModel, settings: SamplingSettings) -> None:
    """Begin a run of this prompt. If that is impossible, set `session.refusal` and keep the old run for its own prompt."""
    if session.refusal is not None and session.begun_with is not None and session.run_of == wanted:
        session.begun_with, session.refusal = wanted, None
        return
    put_aside_already, session.begun_with = session.begun_with is None, wanted
    try:
        fresh = _generation(wanted, model, settings)
    except ViewerError as error:
        session.refusal, session.playing = error, False
        return
    replace(session, fresh, wanted, put_aside_already)


def _generation(wanted: Wanted, model: LanguageModel, settings: SamplingSettings) -> Generation:
    from core import Generation

    _model, text, chat = wanted
    if len(text) > share_link.LONGEST_PROMPT:
        raise PromptTooLong(
            _("The prompt is longer than {most} characters, the limit of this app. Shorten it.").format(
                most=numbers.whole(share_link.LONGEST_PROMPT)
            )
        )
    if isinstance(model, ListedModel):
        from core.generation.listed_run import ListedRun

        return cast("Generation", ListedRun(model, text, settings, top_n=LISTED))
    loaded_models.ensure_model_loaded(model)
    return Generation(model, text, settings, top_n=LISTED, as_chat=chat)


def replace(session: Session, fresh: Generation | Replay, wanted: Wanted, put_aside_already: bool = False) -> None:
    """Make this the visitor's run. The old run is saved for undo, and its cache is released."""
    if session.run is not None:
        if not put_aside_already:
            session.save_run()
        session.run.release()
    session.begun_with = session.run_of = wanted
    session.refusal = None
    eviction_notice.set_run(session, fresh)
    session.moment, session.selected_index, session.playing = "coming", None, False
    session.clicks += 1
