"""Who plays beside others is told so if it goes slower for that."""

from __future__ import annotations

import pytest

from pages.ui.live import play
from pages.ui.live.view_data import view_data
from pages.ui.session import current
from pages.ui.session.live_state import NOTHING
from pages.ui.session.state import Session, acting_for


def players_at(count: int, apart: float, steps: int = play.COUNTED) -> tuple[play.Players, list[Session], float]:
    """Return players that made steps so many seconds apart, and the time of the newest."""
    players, sessions = play.Players(), [Session() for _player in range(count)]
    for step in range(steps):
        for session in sessions:
            players.note(session, 10.0 + step * apart)
    return players, sessions, 10.0 + (steps - 1) * apart


@pytest.mark.parametrize(
    ("count", "apart", "speed", "told"),
    [
        (3, 0.5, 5.0, (3, 2.0)),
        (2, 0.5, 0.0, (2, 2.0)),
        (1, 0.5, 5.0, None),  # alone: the model is slow
        (3, 0.2, 5.0, None),  # as fast as asked
        (3, 0.24, 5.0, None),  # nearly
    ],
)
def test_only_who_is_slowed_by_others_is_told(count: int, apart: float, speed: float, told: tuple[int, float] | None) -> None:
    players, sessions, now = players_at(count, apart)
    assert players.shared(sessions[0], speed, now) == (told if told is None else (told[0], pytest.approx(told[1])))


def test_a_first_step_and_players_who_have_gone_do_not_count() -> None:
    players, sessions, now = players_at(2, 0.5)
    assert players.shared(Session(), 5.0, now) is None, "who has made no step yet"
    players.note(sessions[0], now + 2 * play.AWAY)
    assert players.shared(sessions[0], 5.0, now + 2 * play.AWAY) is None, "a new beginning"
    few, beginners, now = players_at(2, 0.5, play.FEWEST - 1)
    assert few.shared(beginners[0], 5.0, now) is None, "too few steps to say a speed"
    del beginners
    assert len(few.steps) == 0, "a session that has ended plays no more"


def test_the_view_says_it() -> None:
    sessions = [Session() for _player in range(2)]
    for _step in range(play.FEWEST):
        for session in sessions:
            with acting_for(session):
                if session.run is None:
                    current.begin()
                    session.live.speed = 0.0
                session.player.playing = True
                play.play_on()
    session = sessions[0]
    with acting_for(session):
        assert view_data(NOTHING)["crowd"].startswith("2 visitors play now: ")
        session.player.playing = False
        assert view_data(NOTHING)["crowd"] == ""
