"""A page that nobody sees draws nothing by itself: each clock but the one that keeps the visit alive rests with the tab."""

from __future__ import annotations

from typing import Any

import pytest
import streamlit as st

from pages.ui.components.browser.browser import HEARTBEAT
from tests.pages.apptest import Open, State

MOVING = (  # a page, and what makes it move
    ("watch", "play"),
    ("what_if", "what_if_play"),
    ("cache", "cache_start"),
    ("batching", "batching_start"),
    ("teach", "teach_start"),
    ("operator", None),
)


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds between two draws of every part that draws itself anew, since this list was last emptied."""
    seen: list[float] = []
    fragment = st.fragment

    def watched(*arguments: Any, run_every: Any = None, **named: Any) -> Any:
        if run_every is not None and run_every != HEARTBEAT:
            seen.append(run_every)
        return fragment(*arguments, run_every=run_every, **named)

    monkeypatch.setattr(st, "fragment", watched)
    return seen


@pytest.mark.parametrize(("page", "begin"), MOVING)
def test_what_moves_rests_behind_another_tab_and_goes_on_in_front(
    page: str, begin: str | None, open_app: Open, session: State, clocks: list[float]
) -> None:
    app = open_app(page=None if page == "watch" else f"{page}.py")
    if begin is not None:
        assert not clocks, "it stands still until somebody begins"
        app.button(key=begin).click()
    app.run()
    assert clocks, "it moves"
    session(app).hidden = True
    clocks.clear()
    app.run()
    assert not clocks, "nobody sees it"
    session(app).hidden = False
    app.run()
    running = [one for one in session(app).results.values() if getattr(one, "running", False)]
    assert clocks or not (running or begin in (None, "play", "what_if_play")), "seen again"
    for one in running:
        one.stop()
