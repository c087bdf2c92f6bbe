"""A crowd: the house has as many seats as its limit says, and many who play share the pace."""

from __future__ import annotations

import gc
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts import visitor, words
from pages.parts.playing import AROUND, BUSY, Floor

APP = str(Path(__file__).parents[2] / "viewer.py")


def test_a_visitor_beyond_the_limit_is_told_and_nothing_is_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    visitor._house().clear()
    monkeypatch.setenv("TOKEN_VIEWER_VISITORS", "1")
    first = AppTest.from_file(APP, default_timeout=60).run()
    second = AppTest.from_file(APP, default_timeout=60).run()
    assert words.FULL_HOUSE not in [str(note.value) for note in first.info]
    assert [str(note.value) for note in second.info] == [words.FULL_HOUSE]
    assert not second.button
    assert words.FULL_HOUSE not in [str(note.value) for note in first.run().info]


def test_who_leaves_makes_room() -> None:
    house = visitor._house()
    house.clear()
    guest = visitor.Visitor()
    house.add(guest)
    assert len(house) == 1
    del guest
    gc.collect()
    assert len(house) == 0


def test_many_players_share_the_pace_and_who_stops_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [50.0]
    monkeypatch.setattr("pages.parts.playing.monotonic", lambda: now[0])
    floor = Floor(draw=0.01)
    for player in range(30):
        floor.note(player, 0.01)
    assert floor.players == 30
    assert floor.fair_pause() == pytest.approx(30 * 0.01 * AROUND / BUSY)
    now[0] += 10.0
    floor.note(0, 0.01)
    assert floor.players == 1
