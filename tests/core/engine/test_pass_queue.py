"""The queue of passes: in order of arrival, presses before experiments, and no experiment waits for ever."""

from __future__ import annotations

from contextlib import nullcontext
from threading import Thread

import pytest

from core.engine import pass_queue
from core.engine.pass_queue import FairLock, in_background


def order_of(lock: FairLock, asking: str) -> str:
    """Let these ask one after the other while the lock is held, and return in which order they get it. Capitals are in the background."""
    got: list[str] = []

    def ask(name: str) -> None:
        with in_background() if name.isupper() else nullcontext(), lock.acquire():
            got.append(name)

    threads = [Thread(target=ask, args=(name,)) for name in asking]
    with lock.acquire():
        for number, thread in enumerate(threads):
            thread.start()
            while lock.waiting <= number:
                assert thread.is_alive()
    for thread in threads:
        thread.join()
    return "".join(got)


def test_presses_go_before_experiments_each_in_order_of_arrival() -> None:
    assert order_of(FairLock(), "AbcBd") == "bcdAB"


def test_who_waits_too_long_in_the_background_is_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pass_queue, "LONGEST_BEHIND", 0.0)
    assert order_of(FairLock(), "abAcB") == "ABabc"


def test_a_thread_is_in_the_background_only_within_the_block() -> None:
    with in_background():
        pass
    assert order_of(FairLock(), "Ab") == "bA"
    assert not pass_queue._in_background.get()
