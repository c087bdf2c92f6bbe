"""A visitor's verbs, from two scripts at once: one after the other."""

from __future__ import annotations

from contextvars import ContextVar
from threading import Event, Thread

import pytest

from pages.ui.session import error_boundary, state
from pages.ui.session.error_boundary import action_boundary


def test_verbs_of_one_visitor_do_not_overlap_and_those_of_two_do(monkeypatch: pytest.MonkeyPatch) -> None:
    here = {"one": state.Session(), "another": state.Session()}
    whose = ContextVar("whose", default="one")
    monkeypatch.setattr(error_boundary, "current_session", lambda: here[whose.get()])
    inside, go_on = Event(), Event()

    @action_boundary
    def slow() -> None:
        inside.set()
        go_on.wait(10)

    def quick(visitor: str, done: Event) -> None:
        whose.set(visitor)
        action_boundary(done.set)()

    first = Thread(target=slow)
    first.start()
    assert inside.wait(10)
    same, other = Event(), Event()
    threads = [Thread(target=quick, args=("one", same)), Thread(target=quick, args=("another", other))]
    for thread in threads:
        thread.start()
    assert other.wait(10)
    assert not same.wait(0.2)
    go_on.set()
    assert same.wait(10)
    for thread in (first, *threads):
        thread.join(10)
