"""An experiment has a thread of its own, ends when it should, and gives back what it held."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable, Iterator
from time import monotonic, sleep
from typing import Any
from weakref import ref

import pytest

from core.errors import NotAllowed, PromptTooLong
from pages.ui.experiments import experiment
from pages.ui.experiments import worker as threads
from pages.ui.experiments.worker import Worker, Workers
from pages.ui.i18n import numbers
from pages.ui.server.gate import Connection, Gate
from pages.ui.session.state import Browser, Session

SOON = 20.0  # seconds, on a busy machine


@pytest.fixture
def visitor() -> Session:
    return Session()


def begun(make: Callable[[], Iterator[Any]], visitor: Session) -> Worker:
    worker = Worker("test", make, ref(visitor))
    worker.begin()
    return worker


def until(condition: Callable[[], bool]) -> None:
    latest = monotonic() + SOON
    while not condition():
        assert monotonic() < latest
        sleep(0.002)


class Endless:
    """A generator without an end, its steps counted, that tells in which threads it ran and was closed."""

    def __init__(self) -> None:
        self.threads: set[int] = set()
        self.closed_in: int | None = None

    def __call__(self) -> Iterator[int]:
        count = 0
        try:
            while True:
                self.threads.add(threading.get_ident())
                yield count
                count += 1
                sleep(0.001)
        finally:
            self.closed_in = threading.get_ident()


def test_it_runs_in_one_thread_of_its_own_and_is_closed_there(visitor: Session) -> None:
    source = Endless()
    worker = begun(source, visitor)
    until(lambda: len(worker.observations) > 5)
    worker.stop()
    assert not worker.running, "to whoever pressed Stop it has stopped at once"
    assert worker.wait(SOON)
    assert source.threads == {source.closed_in} and threading.get_ident() not in source.threads
    assert worker.observations == list(range(len(worker.observations)))


def test_what_comes_to_its_end_is_whole_and_without_an_error(visitor: Session) -> None:
    worker = begun(lambda: iter(range(100)), visitor)
    assert worker.wait(SOON)
    found = worker.snapshot()
    assert found == experiment.Experiment(tuple(range(100)), seconds=found.seconds)
    assert len(found.seconds) == 100 and list(found.seconds) == sorted(found.seconds)


def test_it_ends_when_its_visitor_has_gone() -> None:
    someone, source = Session(), Endless()
    worker = begun(source, someone)
    until(lambda: len(worker.observations) > 3)
    del someone
    gc.collect()
    assert worker.wait(SOON) and source.closed_in is not None


def test_it_ends_when_its_visitor_has_no_websocket_any_more(monkeypatch: pytest.MonkeyPatch) -> None:
    someone, source = Session(browser=Browser(websocket="a")), Endless()
    monkeypatch.setattr(Gate, "connections", {"a": Connection("203.0.113.7")})
    worker = begun(source, someone)
    until(lambda: len(worker.observations) > 3)
    now = [monotonic()]
    monkeypatch.setattr(threads, "monotonic", lambda: now[0])
    Gate.connections.clear()
    until(lambda: worker.alone_since is not None)
    someone.browser.websocket = "b"  # the browser has connected again
    Gate.connections["b"] = Connection("203.0.113.7")
    until(lambda: worker.alone_since is None)
    Gate.connections.clear()
    until(lambda: worker.alone_since is not None)
    now[0] += 31
    assert worker.wait(SOON) and source.closed_in is not None


def test_whatever_goes_wrong_is_one_sentence(visitor: Session) -> None:
    def refused() -> Iterator[int]:
        yield 1
        raise PromptTooLong("Too long.")

    def broken() -> Iterator[int]:
        yield 1
        raise RuntimeError("the kernel is on fire")

    def never_made() -> Iterator[int]:
        raise MemoryError

    for make, seen, told in (
        (refused, [1], "Too long."),
        (broken, [1], ("Something went wrong in the app. The results so far are kept. Start the experiment again.")),
        (never_made, [], ("Something went wrong in the app. The results so far are kept. Start the experiment again.")),
    ):
        worker = begun(make, visitor)
        assert worker.wait(SOON)
        assert (worker.observations, worker.error, worker.running) == (seen, told, False)


def test_it_is_bounded_in_number_and_time(visitor: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "MOST_OBSERVATIONS", 7)
    worker = begun(Endless(), visitor)
    assert worker.wait(SOON)
    assert worker.observations == list(range(7)) and "7 observations" in (worker.error or "")
    monkeypatch.setattr(threads, "MOST_OBSERVATIONS", 10**9)
    monkeypatch.setenv("TOKEN_VIEWER_EXPERIMENT_SECONDS", "1")
    worker = begun(Endless(), visitor)
    assert worker.wait(SOON)
    assert worker.error == f"The experiment ended after {numbers.duration(1)}, the limit of this app. The results so far are kept."


def test_there_are_never_more_than_may_be(visitor: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_EXPERIMENTS", "6")
    workers, others = Workers(), [Session() for _ in range(3)]
    own = [Worker("test", lambda: iter(()), ref(visitor)) for _ in range(5)]
    for worker in own[:4]:
        workers.join(worker, visitor)
    with pytest.raises(NotAllowed, match="4 experiments"):
        workers.join(own[4], visitor)
    for other in others[:2]:
        workers.join(Worker("test", lambda: iter(()), ref(other)), other)
    with pytest.raises(NotAllowed, match="This machine"):
        workers.join(Worker("test", lambda: iter(()), ref(others[2])), others[2])
    workers.leave(own[0])
    workers.join(own[4], visitor)
