"""A crowd: the house has as many seats as its limit says, and many who play share the pace."""

from __future__ import annotations

from pathlib import Path
from threading import Thread

import pytest
from streamlit.testing.v1 import AppTest

from pages.ui.session import playback, seats, state
from pages.ui.session.playback import APART, BUSY, PlaybackScheduler
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
    idle[1].seen -= 10_000
    assert FULL not in told(app.run())
    assert idle[1] not in house and idle[0] in house


def test_a_visitor_whose_websocket_was_closed_keeps_their_seat_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_VISITORS", "1")
    seats.ACTIVE.clear()
    left = state.Session(connection="closed")
    seats.ACTIVE.add(left)
    app = AppTest.from_file(APP, default_timeout=60).run()
    assert FULL in told(app)
    left.seen -= seats.RECONNECT_SECONDS + 1
    assert FULL not in told(app.run())


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time as the floor sees it."""
    time = [50.0]
    monkeypatch.setattr(playback, "monotonic", lambda: time[0])
    return time


def test_many_players_share_the_pace_and_who_stops_is_forgotten(now: list[float]) -> None:
    scheduler = PlaybackScheduler(spent=0.0, draws=0.0, noted=now[0])
    for player in range(30):
        scheduler.note(player, 0.01)
    assert scheduler.players == 30
    assert scheduler.fair_pause() == pytest.approx(30 * 0.01 / BUSY)
    scheduler.note(0, 0.15, draws=0)  # the lesser parts of the page cost time and are no step
    assert scheduler.fair_pause() == pytest.approx(30 * 0.015 / BUSY)
    now[0] += 10.0
    scheduler.note(0, 0.01)
    assert scheduler.players == 1


def test_what_moves_by_itself_draws_no_oftener_than_they_do_and_hears_of_it(now: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    scheduler = PlaybackScheduler(spent=0.0, draws=0.0, noted=now[0])
    monkeypatch.setattr(playback, "scheduler", lambda: scheduler)
    assert playback.paced(None) is None and playback.paced(0.15) == 0.15
    assert not playback.outpaced(0.15, 0.15)
    for player in range(30):
        scheduler.note(player, 0.02)
    assert playback.paced(0.15) == pytest.approx(30 * 0.02 / BUSY)
    assert playback.outpaced(0.15, 0.15), "the crowd came after the clock was set"
    assert not playback.outpaced(0.15, 0.15), "one clock at a time"
    now[0] += APART * 1.1
    assert not playback.outpaced(0.9, 0.15), "near enough"
    for player in range(30):
        scheduler.note(player, 0.2)
    assert playback.paced(0.15) == playback.CROWDED
    now[0] += 60
    scheduler.note(0, 0.02)
    assert playback.outpaced(2.0, 0.15), "they have gone"


def test_players_draw_one_at_a_time_and_nobody_else_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    someone = state.Session(playing=True)
    monkeypatch.setattr(playback, "current_session", lambda: someone)
    drawn: list[str] = []

    def second() -> None:
        with playback.drawing():
            drawn.append("second")

    with playback.drawing():
        waiting = Thread(target=second)
        waiting.start()
        while not playback.scheduler().draw_lock.waiting:
            assert waiting.is_alive()
        someone.playing = False
        with playback.drawing():  # a press of Step, say
            drawn.append("a click")
        drawn.append("first")
    waiting.join(10)
    assert drawn == ["a click", "first", "second"]
