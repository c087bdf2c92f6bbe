"""The replay of a link: its steps are made again in the visitor's run, as far as they are possible."""

from __future__ import annotations

from time import monotonic
from typing import Any

from core import SamplingSettings
from core.errors import ViewerError
from core.record.step import Step
from pages.ui.i18n.translation import _
from pages.ui.session import share_link
from pages.ui.session.notices import notify
from pages.ui.session.share_link import Rolled
from pages.ui.session.state import Session

LINK_SECONDS = 20.0  # how long following a link's steps may take


def follow_link(session: Session) -> None:
    """Replay the steps of the visitor's link, once. Stops at the first step that is impossible and notifies the visitor."""
    text, session.link.steps = session.link.steps, None
    steps, run = share_link.parse_steps(text or ""), session.run
    if steps is None or run is None:
        return
    latest, coming, ending = monotonic() + LINK_SECONDS, run.settings, run.stops
    try:
        run.stop_at()  # the text may have been written before its end was set
        for entry in steps:
            if isinstance(entry, SamplingSettings):
                run.settings = entry
                continue
            if run.finished or monotonic() > latest:
                notify(_("The link's list of steps could not be followed to its end; what you see is as far as it goes."))
                break
            apply_step(run, entry)
    except ViewerError:
        notify(_("The link's list of steps could not be followed to its end; what you see is as far as it goes."))
    finally:
        run.settings = coming
        run.stop_at(**ending)
    session.player.moment = "rolled" if run.path else "coming"


def apply_step(run: Any, entry: int | Rolled | None) -> Step:
    """Make one step of a link in this run. Raises what `step` and `force` raise."""
    step: Step
    if isinstance(entry, Rolled):
        step = run.step(entry.attempt, entry.token_id)
    else:
        step = run.step() if entry is None else run.force(entry)
    return step
