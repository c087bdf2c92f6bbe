"""The recording that a visitor has opened: read, checked and replayed."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

from core.errors import BadRecording
from core.sources.capabilities import Can
from pages.ui.i18n.translation import _
from pages.ui.session import current, run_start
from pages.ui.session.error_boundary import action_boundary
from pages.ui.session.notices import anchor_notices
from pages.ui.session.state import current_session
from pages.ui.session.upload_field import take

if TYPE_CHECKING:
    from core import Generation, Recording

_READING = Lock()


@action_boundary
def recording_uploaded() -> None:
    """Replay the uploaded file."""
    from core import Recording

    anchor_notices("recording")
    data = take("recording")
    if data is None:
        return
    current.changed("coming")
    with _READING:  # reading takes several times the file's size in memory
        recording = Recording.loads(data)
    if len(recording.nodes) == 1:
        raise BadRecording(_("This recording contains no steps. Your text was kept."))
    show(recording)


def shown() -> Generation | None:
    """Return the recording that is shown, None for a live run. Raises ViewerError if there is no model."""
    session = current_session()
    if session.run is None or Can.NEW_TOKENS in session.run.can or session.begun.asked != current.request():
        return None
    return session.run


def show(recording: Recording) -> None:
    """Make the recording the visitor's run, at its last step, with all its branches. Restart and Play show how it was written."""
    session = current.changed("coming")
    replay = recording.replay(whole=True)
    for _step in recording.path:
        replay.step()
    run_start.replace_run(session, replay, current.request())
    session.player.moment = "rolled" if replay.path else "coming"
