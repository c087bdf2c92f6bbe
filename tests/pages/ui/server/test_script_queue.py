"""The queue for runs of the script, on an event loop, without a server."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

import pytest

from pages.ui.server import gate, script_queue
from pages.ui.server.gate import Connection, Gate
from pages.ui.server.script_queue import ARRIVAL, Runner, ScriptQueue
from pages.ui.session import first_page_queue
from tests.pages.asgi import in_a_loop, settled


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time that the queue sees, in one item."""
    now = [100.0]
    monkeypatch.setattr(script_queue, "monotonic", lambda: now[0])
    return now


class Asked:
    """Messages that wait or were passed on, in a queue for two runs."""

    def __init__(self) -> None:
        self.queue = ScriptQueue(at_a_time=2, first_pages=2)
        self.passed: list[Runner] = []
        self.closing = asyncio.ensure_future(asyncio.Event().wait())
        self.tasks: list[asyncio.Task[None]] = []

    async def ask(self, *runners: Runner, patience: float = 0.0) -> None:
        for runner in runners:
            self.tasks.append(asyncio.ensure_future(self._wait(runner, patience)))
        await settled()

    async def _wait(self, runner: Runner, patience: float) -> None:
        await self.queue.start(runner, self.closing, patience)
        self.passed.append(runner)

    async def finish(self, *runners: Runner) -> None:
        for runner in runners:
            self.queue.finish(runner)
        await settled()


@in_a_loop
async def test_two_run_at_once_and_the_next_in_order_of_arrival(clock: list[float]) -> None:
    asked, runners = Asked(), [Runner(f"203.0.113.{number}") for number in range(5)]
    for runner in runners:
        await asked.ask(runner)
        clock[0] += 0.01
    assert asked.passed == runners[:2]
    await asked.finish(runners[1])
    assert asked.passed == runners[:3]
    await asked.finish(runners[0], runners[2])
    assert asked.passed == runners


@in_a_loop
async def test_all_websockets_of_an_address_together_wait_as_one(clock: list[float]) -> None:
    asked, other = Asked(), Runner("203.0.113.2")
    greedy = [Runner("203.0.113.1") for _ in range(20)]
    await asked.ask(*greedy)
    for _round in range(30):
        running = asked.passed[-2:]
        clock[0] += 0.1
        await asked.finish(*running)
        await asked.ask(*running)
    assert {greedy.index(one) for one in asked.passed[-20:]} == set(range(20))  # they take turns
    await asked.ask(other)
    for _turn in range(2):
        clock[0] += 0.01
        await asked.finish(asked.passed[-2])
    assert other in asked.passed[-2:]


@in_a_loop
async def test_who_pauses_comes_before_those_who_ask_again_at_once(clock: list[float]) -> None:
    asked, rare = Asked(), Runner("203.0.113.9")
    greedy = [Runner(f"203.0.113.{number}") for number in range(4)]
    await asked.ask(rare, *greedy)
    for _round in range(4):
        ended = next(one for one in asked.passed if one.turn is not None)
        clock[0] += 0.05
        await asked.finish(ended)
        if ended is not rare:
            await asked.ask(ended)
    clock[0] += 0.01
    await asked.ask(rare)
    await asked.finish(next(one for one in asked.passed if one.turn is not None))
    assert asked.passed[-1] is rare


@in_a_loop
async def test_who_is_there_comes_before_many_who_arrive(clock: list[float]) -> None:
    asked, first, arriving, person = Asked(), [Runner("a"), Runner("b")], [Runner(f"new {number}") for number in range(16)], Runner("c")
    await asked.ask(*first)
    await asked.ask(*arriving, patience=ARRIVAL)
    clock[0] += 0.9 * ARRIVAL
    await asked.ask(person)
    await asked.finish(first[0])
    assert asked.passed[2:] == [person]
    await asked.finish(first[1])
    assert len(asked.passed) == 4 and asked.passed[3] in arriving


@in_a_loop
async def test_a_run_longer_than_its_turn_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_queue, "LONGEST_TURN", 0.0)
    asked, runners = Asked(), [Runner("a") for _ in range(5)]
    await asked.ask(*runners)
    await asyncio.wait(asked.tasks, timeout=10)
    assert len(asked.passed) == 5


@in_a_loop
async def test_a_visitor_alone_breaks_off_their_own_run_and_beside_others_waits_for_its_end(clock: list[float]) -> None:
    asked, one, other, third = Asked(), Runner("a"), Runner("b"), Runner("c")
    await asked.ask(one)
    await asked.ask(one)
    assert asked.passed == [one, one]
    await asked.ask(other, third)
    await asked.ask(one)
    assert asked.passed == [one, one, other]
    await asked.finish(other)
    assert asked.passed == [one, one, other, third]
    await asked.finish(one)
    assert asked.passed == [one, one, other, third, one]


@in_a_loop
async def test_a_websocket_that_closes_leaves_the_queue(clock: list[float]) -> None:
    asked, first, gone, last = Asked(), [Runner("a"), Runner("b")], Runner("c"), Runner("d")
    await asked.ask(*first)
    closed = asyncio.Event()
    leaves = asyncio.ensure_future(closed.wait())
    waiting = asyncio.ensure_future(asked.queue.start(gone, leaves))
    await asked.ask(last)
    closed.set()
    await waiting
    await asked.finish(first[0])
    assert asked.passed == [*first, last]
    assert gone.turn is None


@in_a_loop
async def test_addresses_are_forgotten_above_their_limit(clock: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(script_queue, "MOST_ADDRESSES", 3)
    asked = Asked()
    for number in range(10):
        runner = Runner(f"203.0.113.{number}")
        await asked.ask(runner)
        await asked.finish(runner)
    assert len(asked.passed) == 10


@in_a_loop
async def test_a_few_first_pages_have_their_turn_and_the_others_know_how_many_are_before_them(clock: list[float]) -> None:
    queue, pages = ScriptQueue(first_pages=2), [Runner(f"203.0.113.{number}", is_first_page=True) for number in range(5)]
    for page in pages:
        queue.join(page)
        clock[0] += 0.01
    assert [queue.before(page) for page in pages] == [0, 0, 1, 2, 3]
    queue.leave(pages[1])
    assert [queue.before(page) for page in (pages[0], *pages[2:])] == [0, 0, 1, 2]
    queue.leave(pages[3])  # somebody in the middle gives up
    assert queue.before(pages[4]) == 1
    queue.leave(pages[2])
    assert queue.before(pages[4]) == 0


@in_a_loop
async def test_presses_do_not_wait_for_first_pages_nor_first_pages_for_presses(clock: list[float]) -> None:
    asked = Asked()
    pages = [Runner(f"new {number}", is_first_page=True) for number in range(3)]
    for page in pages:
        asked.queue.join(page)
    await asked.ask(first := Runner("a"), second := Runner("b"), third := Runner("c"))
    assert asked.passed == [first, second] and asked.queue.before(pages[-1]) == 1
    asked.queue.leave(pages[0])
    assert asked.queue.before(pages[-1]) == 0
    await asked.finish(first)
    assert asked.passed == [first, second, third]


@in_a_loop
async def test_one_address_with_many_first_pages_does_not_keep_another_one_waiting(clock: list[float]) -> None:
    queue, pages = ScriptQueue(first_pages=1), [Runner("203.0.113.1", is_first_page=True) for _ in range(20)]
    for page in pages:
        queue.join(page)
    clock[0] += 1.0
    queue.leave(pages[0])  # the next one of this address has its turn
    clock[0] += 0.01
    queue.join(other := Runner("203.0.113.2", is_first_page=True))
    assert queue.before(other) == 1


@in_a_loop
async def test_whoever_waits_in_a_thread_is_woken_when_the_queue_moves() -> None:
    queue, first, second = ScriptQueue(first_pages=1), Runner("a", is_first_page=True), Runner("b", is_first_page=True)
    queue.join(first)
    queue.join(second)
    waiting = asyncio.ensure_future(asyncio.to_thread(queue.before, second, 30.0))
    await asyncio.sleep(0.05)
    queue.leave(first)
    assert await asyncio.wait_for(waiting, 5) == 0


@in_a_loop
async def test_a_first_page_that_fails_gives_its_turn_back(monkeypatch: pytest.MonkeyPatch) -> None:
    queue = ScriptQueue(first_pages=1)
    session = SimpleNamespace(page=SimpleNamespace(first_drawn=False), browser=SimpleNamespace(websocket="a"))
    monkeypatch.setattr(first_page_queue, "QUEUE", queue)
    monkeypatch.setattr(gate, "QUEUE", queue)
    monkeypatch.setattr(first_page_queue, "current_session", lambda: session)

    def script() -> None:
        with first_page_queue.first_page_turn():
            raise ValueError

    monkeypatch.setattr(Gate, "connections", {"a": Connection("203.0.113.1", name="a", loop=asyncio.get_running_loop())})
    with pytest.raises(ValueError):
        await asyncio.to_thread(script)
    await asyncio.sleep(0)
    queue.join(late := Runner("b", is_first_page=True))
    assert queue.before(late) == 0 and session.page.first_drawn
