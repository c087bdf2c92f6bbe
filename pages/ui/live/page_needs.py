"""Whether Streamlit must draw the page again: what stands outside the live view shows another state than the run has."""

from __future__ import annotations

from typing import Any

from core.sources.capabilities import Can
from pages.ui.session import undo
from pages.ui.session.state import Session


def needs_page(session: Session) -> bool:
    """Return whether the page would be drawn in another way now."""
    return session.live.page_shows != page_shows(session)


def begin(session: Session) -> None:
    """Note that a page with the live view begins to be drawn."""
    session.live.page_shows_step = False


def shows_step(session: Session) -> None:
    """Note that the page shows the step also outside the live view."""
    session.live.page_shows_step = True


def end(session: Session) -> None:
    """Note at the end of the page which state it shows."""
    session.live.page_shows = page_shows(session)


def page_shows(session: Session) -> tuple[Any, ...]:
    """Return all that a page shows of a run outside the live view."""
    run, live = session.run, session.live
    path = run.path if run is not None else ()
    begun = run is not None and session.begun.refusal is None and session.begun.failure is None
    return (
        begun,
        live.run_number,
        run is not None and Can.NEW_TOKENS in run.can,
        bool(path),
        0 if run is None else len(run.nodes) - len(path),  # nodes of other branches
        undo.can_undo(),
        tuple(session.fields.to_set),
        (live.version, run.here if run else 0) if live.page_shows_step and not session.player.playing else 0,
    )
