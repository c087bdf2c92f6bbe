"""The visitor's model from before the first count, and the way back to it."""

from __future__ import annotations

from dataclasses import dataclass

from core.sources.ngram import is_ngram
from pages.ui.i18n.translation import _
from pages.ui.server import offered_models
from pages.ui.session import current, undo
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import anchor_notices, notify
from pages.ui.session.state import current_session, memory, set_field


@dataclass(slots=True)
class Before:
    """model: the visitor's model before the first count, "" if there was none."""

    model: str = ""


def keep() -> None:
    """Keep the name of the visitor's model, which a count is about to replace."""
    memory(Before).model = current.model_name()


def name() -> str:
    """Return the model from before the count; if it is gone, the first one that does not count."""
    names, before = current.model_names(), memory(Before).model
    return before if before in names else next(name for name in names if not is_ngram(name))


@action_boundary
def go_back() -> None:
    """Use the model from before the count again, with the text that was written with it."""
    anchor_notices("by_hand_count")
    wanted, saved = name(), current_session().saved_run
    if saved is not None and saved.begun_with.model == wanted:
        undo.undo()
    set_field("model", wanted)
    notify(_("{name} is used on every page again.").format(name=offered_models.title(wanted)))
