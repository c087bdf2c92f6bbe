"""What another text took the place of on Watch is not lost: it is put aside, and comes back at a press."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from core import SamplingSettings
from core.record.step import Step
from pages.ui.session import current, eviction_notice
from pages.ui.session.state import SavedRun, current_session, error_boundary


def write_path(text: str, used: SamplingSettings, path: Sequence[Step]) -> None:
    """Write these steps, made elsewhere behind this text and with these settings, into the run: the same tokens, each rolled as it was.

    Where today's dice would take another one (a batch differs from a single pass in the last digits), the token is put as it was. What
    stood there is put aside, see `undo`. Raises ViewerError.
    """
    session = current_session()
    session.save_run()
    maker = getattr(path[0].vocabulary, "name", None) if path else None
    if maker in current.model_names():
        st.session_state["model"] = maker
    st.session_state["prompt"], st.session_state["as_chat"] = text, False
    current.changed("rolled").playing = False
    if session.run is not None and session.run.is_replay:
        session.begun_with = None
    own = current.run()
    own.go_to(-1)
    mine, own.settings = own.settings, used
    try:
        for kept in path:
            own.step(kept.attempt, kept.token_id)
    finally:
        own.settings = mine


def can_undo() -> bool:
    """Whether there is a text that another one took the place of."""
    return current_session().saved_run is not None


@error_boundary
def undo() -> None:
    """The text that was there before, as it stood; the one in hand is put aside in its place, so that this can be undone, too."""
    session = current_session()
    aside, now = session.saved_run, session.run
    if aside is None or aside.begun_with[0] not in current.model_names():
        return
    current.changed(aside.moment)
    session.saved_run = None
    if now is not None and (now.path or now.is_replay) and now is not aside.run and session.run_of is not None:
        session.saved_run = SavedRun(now, now.here, session.run_of, session.moment)
        now.release()
    if aside.run.here != aside.here:
        aside.run.switch(aside.here)
    name, text, chat = session.begun_with = session.run_of = aside.begun_with
    st.session_state["model"], st.session_state["prompt"], st.session_state["as_chat"] = name, text, chat
    session.refusal, session.playing, session.replay_steps = None, False, None
    eviction_notice.set_run(session, aside.run)
