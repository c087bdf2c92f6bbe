"""Replay of the steps of a share link."""

from __future__ import annotations

from time import monotonic

from core import SamplingSettings
from core.errors import ViewerError
from pages.ui.i18n.translation import _
from pages.ui.session import share_link
from pages.ui.session.state import Session, notify

LINK_SECONDS = 20.0  # how long following a link's steps may take


def follow(session: Session) -> None:
    """Replay the steps of the visitor's link, once. Stops at the first step that is impossible and notifies the visitor."""
    text, session.replay_steps = session.replay_steps, None
    steps, made = share_link.parse_steps(text or ""), session.run
    if steps is None or made is None:
        return
    latest, coming, ending = monotonic() + LINK_SECONDS, made.settings, made.stops
    try:
        made.stop_at()  # the text may have been written before its end was set
        for entry in steps:
            if isinstance(entry, SamplingSettings):
                made.settings = entry
                continue
            if made.finished or monotonic() > latest:
                notify(_("The link's list of steps could not be followed to its end; what you see is as far as it goes."))
                break
            share_link.apply_step(made, entry)
    except ViewerError:
        notify(_("The link's list of steps could not be followed to its end; what you see is as far as it goes."))
    finally:
        made.settings = coming
        made.stop_at(**ending)
    session.moment = "rolled" if made.path else "coming"
