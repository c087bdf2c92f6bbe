"""Coming in, one after the other: a newcomer's first page is the most work there is, and forty at once would all wait for the last.

Whoever comes waits for a turn, is told how many are before them, and then has the page at once. Those who are in go on meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Condition

import streamlit as st

from core.language import ngettext
from pages.ui.session.state import current_session

AT_A_TIME = max(2, (os.cpu_count() or 2) // 2)
LOOK = 0.5  # seconds between two looks at the line
PATIENCE = 60.0  # seconds after which somebody comes in all the same, whatever keeps the others


class Line:
    """First come, first served; so many at a time."""

    def __init__(self, at_a_time: int = AT_A_TIME) -> None:
        self._at_a_time = at_a_time
        self._there: list[object] = []  # in the order of coming; the first few have their turn
        self._moved = Condition()

    def join(self) -> object:
        """A place at the end of it."""
        place = object()
        with self._moved:
            self._there.append(place)
        return place

    def before(self, place: object, seconds: float = 0.0) -> int:
        """How many have to be done before this one has a turn; asked again when the line moves, or after so many seconds."""
        with self._moved:
            ahead = self._ahead(place)
            if ahead and seconds:
                self._moved.wait(seconds)
                ahead = self._ahead(place)
            return ahead

    def leave(self, place: object) -> None:
        """Done, or gone."""
        with self._moved:
            self._there.remove(place)
            self._moved.notify_all()

    def _ahead(self, place: object) -> int:
        return max(0, self._there.index(place) - self._at_a_time + 1)


_LINE = Line()


@contextmanager
def turn() -> Iterator[None]:
    """Around the drawing of a page: the first one of a session waits for its turn."""
    session = current_session()
    if session.came_in:
        yield
        return
    place, said, waited = _LINE.join(), None, 0.0
    try:
        while (ahead := _LINE.before(place, LOOK)) and waited < PATIENCE:
            waited += LOOK
            said = said or st.empty()
            said.info(
                ngettext(
                    "Many come in just now: one is before you. It takes a moment.",
                    "Many come in just now: {count} are before you. It takes a moment.",
                    ahead,
                ).format(count=ahead),
                icon=":material/group:",
            )
        if said is not None:
            said.empty()
        session.came_in = True
        yield
    finally:
        _LINE.leave(place)
