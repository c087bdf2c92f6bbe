"""Replay of a share link's steps: what a link asks for, written again."""

from __future__ import annotations

from time import monotonic

from core import SamplingSettings
from core.errors import ViewerError
from core.language import _
from pages.ui.session import share_link
from pages.ui.session.state import Session, notify

LINK_SECONDS = 20.0  # how long following a link's steps may take


def follow(session: Session) -> None:
    """Write what the visitor's link asks for, once, as far as it can be followed."""
    text, session.replay_steps = session.replay_steps, None
    steps, made = share_link.parse_steps(text or ""), session.run
    if steps is None or made is None:
        return
    latest, coming = monotonic() + LINK_SECONDS, made.settings
    try:
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
    session.moment = "rolled" if made.path else "coming"
