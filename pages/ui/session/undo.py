"""Undo for a replaced run, and its button."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core import SamplingSettings
from core.record.step import Step
from core.sources.capabilities import Can
from pages.ui.i18n.translation import _
from pages.ui.session import current, elements, run_start
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.run_request import BegunRun, Conversation
from pages.ui.session.state import SavedRun, Session, current_session, set_field


def undo_button(key: str = "bring_back") -> None:
    """Draw the button, if there is a replaced run."""
    if can_undo():
        st.button(
            _("Bring back my text"),
            on_click=elements.run_and_rerun,
            args=(undo, ()),
            help=_("Undo for a replaced run. Press again to return."),
            icon=":material/settings_backup_restore:",
            type="tertiary",
            key=key,
        )


def begin_with_steps(text: str, used: SamplingSettings, path: Sequence[Step]) -> None:
    """Begin a run of this prompt and write these steps, made with the settings `used`, into it. `undo` restores the old run.

    Each token is taken, also where a single pass would sample another one: logits of a batch differ in the last digits. Raises ViewerError.
    """
    session = current_session()
    session.save_run()
    maker = getattr(path[0].vocabulary, "name", None) if path else None
    if maker in current.model_names():
        set_field("model", maker)
    set_field("prompt", text)
    set_field("as_chat", False)
    session.around.set(Conversation(), session.around.ending)
    current.changed("rolled").player.playing = False
    if session.run is not None and Can.NEW_TOKENS not in session.run.can:
        session.begun.asked = None
    run = current.begin()
    run.go_to(-1)
    current_settings, run.settings = run.settings, used
    try:
        for step in path:
            run.step(step.attempt, step.token_id)
    finally:
        run.settings = current_settings


def can_undo() -> bool:
    """Return whether a replaced run can be restored."""
    return current_session().saved_run is not None


@action_boundary
def undo() -> None:
    """Restore the replaced run, and save the current one, so that this can be undone as well."""
    session = current_session()
    saved, now = session.saved_run, session.run
    if saved is None or saved.begun_with.model not in current.model_names():
        return
    current.changed(saved.moment)
    session.saved_run = None
    if now is not None and (now.path or Can.NEW_TOKENS not in now.can) and now is not saved.run and session.begun.of_run is not None:
        session.saved_run = SavedRun(now, now.here, session.begun.of_run, session.player.moment)
        run_start.hand_over_cache(now, saved.run)
    restore(session, saved)


def restore(session: Session, saved: SavedRun) -> None:
    """Make this the visitor's run again, at the node where it was."""
    if saved.run.here != saved.here:
        saved.run.switch(saved.here)
    wanted = saved.begun_with
    for key, value in (("model", wanted.model), ("prompt", wanted.prompt), ("as_chat", wanted.as_chat)):
        set_field(key, value)
    if wanted.as_chat:
        session.around.set(wanted.conversation, session.around.ending)
    session.begun, session.player.playing, session.link.steps = BegunRun(wanted, wanted), False, None
    run_start.set_run(session, saved.run)
