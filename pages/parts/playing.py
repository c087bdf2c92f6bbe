"""Play: how often it draws, and what it makes for the next draw."""

from __future__ import annotations

import streamlit as st

from pages.parts.visit import here, run

SLOW = 1.0  # steps a second up to which both moments are shown, the odds and the roll


def hurried(speed: float) -> bool:
    """Whether it plays so fast that movements would only blur."""
    return here().playing and speed > 2


def pace(speed: float) -> float | None:
    """Seconds between two draws in Play, None when it is paused. At slow speeds every step is drawn twice, before and after its roll."""
    if not here().playing:
        return None
    return 1 / speed / (2 if speed <= SLOW else 1)


def advance(speed: float) -> None:
    """The end of a draw in Play: make what the next one shows."""
    visitor, made = here(), run()
    if not visitor.playing:
        return
    if made.finished:
        visitor.playing = False
        st.rerun()
    visitor.opened = None
    if speed <= SLOW and visitor.moment == "rolled":
        visitor.moment = "coming"
        made.coming()
    else:
        visitor.moment = "rolled"
        made.step()
