"""Who comes when many come: in order, a few at a time, and nobody who leaves keeps the others."""

from __future__ import annotations

import threading

import pytest

from pages.ui.server.first_page_queue import FirstPageQueue
from pages.ui.session import first_page_turn


def test_a_few_have_their_turn_and_the_others_know_how_many_are_before_them() -> None:
    line = FirstPageQueue(2)
    places = [line.join() for _ in range(5)]
    assert [line.before(place) for place in places] == [0, 0, 1, 2, 3]
    line.leave(places[1])
    assert [line.before(place) for place in (places[0], *places[2:])] == [0, 0, 1, 2]
    line.leave(places[3])  # somebody in the middle gives up
    assert line.before(places[4]) == 1


def test_whoever_waits_is_woken_when_the_line_moves() -> None:
    line = FirstPageQueue(1)
    first, second = line.join(), line.join()
    seen: list[int] = []
    waiting = threading.Thread(target=lambda: seen.append(line.before(second, 30.0)))
    waiting.start()
    line.leave(first)
    waiting.join(5)
    assert seen == [0]


def test_a_page_that_fails_gives_its_turn_back(monkeypatch: pytest.MonkeyPatch) -> None:
    class Visitor:
        first_page_drawn = False

    line = FirstPageQueue(1)
    monkeypatch.setattr(first_page_turn, "QUEUE", line)
    monkeypatch.setattr(first_page_turn, "current_session", Visitor)
    with pytest.raises(ValueError), first_page_turn.first_page_turn():
        raise ValueError
    assert line.before(line.join()) == 0
