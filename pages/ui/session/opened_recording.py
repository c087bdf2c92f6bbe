"""A recording that a visitor uploads: read, checked and replayed."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import BadRecording
from core.limits import Limits
from pages.ui.i18n import numbers
from pages.ui.i18n.language import _
from pages.ui.session import current, run_start
from pages.ui.session.state import anchor_notices, error_boundary

if TYPE_CHECKING:
    from core import Recording

# Megabytes. A recording of 8,192 tokens has 30 to 50. Streamlit refuses larger files than its own limit, so the smaller one counts.
LARGEST_UPLOAD = min(Limits.from_environment().upload_megabytes or 64, int(st.get_option("server.maxUploadSize")))
_READING = Lock()


@error_boundary
def recording_uploaded() -> None:
    """Replay the uploaded file."""
    from core import Recording

    anchor_notices("recording")
    file = st.session_state.get("recording")
    if file is None:
        return
    current.changed("coming")
    if file.size > LARGEST_UPLOAD * 2**20:
        raise BadRecording(_("This file is larger than {limit}, the limit of this app.").format(limit=numbers.size(LARGEST_UPLOAD * 2**20)))
    with _READING:  # reading takes several times the file's size in memory
        recording = Recording.loads(file.getvalue())
    if len(recording.tree.nodes) == 1:
        raise BadRecording(_("This recording contains no steps. Your text was kept."))
    show(recording)


def show(recording: Recording) -> None:
    """Make the recording the visitor's run, at its last step. Restart and Play show how it was written."""
    session = current.changed("coming")
    replay = recording.replay()
    for _step in recording.path:
        replay.step()
    run_start.replace(session, replay, (current.model_name(), current.prompt(), current.as_chat()))
    session.moment = "rolled" if replay.path else "coming"
