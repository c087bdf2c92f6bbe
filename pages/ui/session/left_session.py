"""Frees the own models of visitors who have left. Streamlit drops an ended session only when another one ends."""

from __future__ import annotations

import gc

from pages.ui.server import gate
from pages.ui.session import seats


def free_when_left() -> None:
    """Free the models, runs and results of a visitor with own models some time after their last websocket was closed."""
    gate.after_leaving.add(release_left)


def release_left(connection: str) -> None:
    """Free them for the session whose last websocket was this one. A session that its tab has resumed has another websocket by now."""
    if gate.is_open(connection):
        return
    left = seats.leave(connection)
    for session in left:
        session.release()
    if left:  # models can be in cycles with runs. A collection stops all threads for some tenths of a second
        gc.collect()
