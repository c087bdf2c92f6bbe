"""A crowd: the house has as many seats as its limit says, and many who play share the pace."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import local
from time import sleep

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.session import seats, state
from tests.pages.apptest import told

APP = str(Path(__file__).with_name("main.py"))


FULL = "All seats are taken. This page opens by itself when one is free. You can also run the app on your own machine."


def test_a_visitor_beyond_the_limit_is_told_and_nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    seats.ACTIVE.clear()
    monkeypatch.setenv("TOKEN_VIEWER_VISITORS", "1")
    first = AppTest.from_file(APP, default_timeout=60).run()
    second = AppTest.from_file(APP, default_timeout=60).run()
    assert FULL not in told(first)
    assert told(second) == [FULL] and not second.button
    assert FULL not in told(first.run())


def test_a_seat_that_nobody_sat_on_for_long_goes_to_who_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    house = seats.ACTIVE
    house.clear()
    monkeypatch.setenv("TOKEN_VIEWER_VISITORS", "3")
    idle = [state.Session() for _ in range(3)]  # sockets that were opened once and say nothing any more
    for session in idle:
        house.add(session)
    app = AppTest.from_file(APP, default_timeout=60).run()
    assert FULL in told(app)
    idle[1].browser.last_active -= 10_000
    assert FULL not in told(app.run())
    assert idle[1] not in house and idle[0] in house


def test_a_visitor_whose_websocket_was_closed_keeps_their_seat_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_VISITORS", "1")
    seats.ACTIVE.clear()
    left = state.Session(browser=state.Browser(websocket="closed"))
    seats.ACTIVE.add(left)
    app = AppTest.from_file(APP, default_timeout=60).run()
    assert FULL in told(app)
    left.browser.last_active -= seats.RECONNECT_SECONDS + 1
    assert FULL not in told(app.run())


def test_visitors_who_come_at_once_do_not_share_the_last_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    seats.ACTIVE.clear()
    monkeypatch.setenv("TOKEN_VIEWER_VISITORS", "1")
    visitors, own, counted = [state.Session() for _ in range(8)], local(), seats.active_sessions

    def slowly() -> list[state.Session]:
        present = counted()
        sleep(0.01)
        return present

    def come(session: state.Session) -> bool:
        own.session = session
        return seats.admit()

    monkeypatch.setattr(seats, "active_sessions", slowly)
    monkeypatch.setattr(seats, "current_session", lambda: own.session)
    with ThreadPoolExecutor(8) as threads:
        assert sum(threads.map(come, visitors)) == 1
    assert len(seats.ACTIVE) == 1
