"""A recording that a visitor hands in: read, checked, and shown as it was kept."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

import streamlit as st

from core.errors import BadRecording
from core.language import _
from core.limits import Limits
from pages.ui.i18n import numbers
from pages.ui.session import current, run_start
from pages.ui.session.state import anchor_notices, error_boundary

if TYPE_CHECKING:
    from core import Recording

# Megabytes; a text of 8,192 tokens is recorded in 30 to 50. The server lets no more in, whatever a widget promises.
LARGEST_UPLOAD = min(Limits.from_environment().upload_megabytes or 64, int(st.get_option("server.maxUploadSize")))
_READING = Lock()


@error_boundary
def recording_uploaded() -> None:
    """Replay the file that was given."""
    from core import Recording

    anchor_notices("recording")
    file = st.session_state.get("recording")
    if file is None:
        return
    current.changed("coming")
    if file.size > LARGEST_UPLOAD * 2**20:
        raise BadRecording(
            _("That file is larger than {limit}, the most that is read here.").format(limit=numbers.size(LARGEST_UPLOAD * 2**20))
        )
    with _READING:  # it takes several times the file's size in memory
        recording = Recording.loads(file.getvalue())
    if len(recording.tree.nodes) == 1:
        raise BadRecording(_("This recording holds no steps, so there is nothing to show. What you had is still here."))
    show(recording)


def show(recording: Recording) -> None:
    """A recording is the visitor's run from now on; it opens as it was kept, with its text. Restart and Play show how it came about."""
    session = current.changed("coming")
    replay = recording.replay()
    for _step in recording.path:
        replay.step()
    run_start.replace(session, replay, (current.model_name(), current.prompt(), current.as_chat()))
    session.moment = "rolled" if replay.path else "coming"
