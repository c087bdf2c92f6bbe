"""Runs behind the gate: how many begin at once, and what becomes of those whose browser left."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from pages.ui.server import gate, script_queue
from pages.ui.server.gate import Gate
from pages.ui.server.script_queue import Runner, ScriptQueue
from tests import protocol
from tests.pages.asgi import Browser, in_a_loop, scope, settled, until


class Drawing:
    """The app behind the gate: keeps the messages that start runs, with how to answer them."""

    def __init__(self) -> None:
        self.runs: list[Any] = []
        self.ended: list[int] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] != "websocket.disconnect":
            if message["type"] == "websocket.receive":
                self.runs.append(send)
        self.ended.append(message["code"])


async def end(send: Any) -> None:
    await send(
        {
            "type": "websocket.send",
            "bytes": protocol.ForwardMsg(script_finished=protocol.ForwardMsg.FINISHED_SUCCESSFULLY).SerializeToString(),
        }
    )
    await settled()


@in_a_loop
async def test_a_run_waits_until_another_one_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "QUEUE", ScriptQueue(at_a_time=2))
    app = Drawing()
    browsers = [Browser(Gate(app), f"203.0.113.{number}") for number in range(4)]
    for browser in browsers:
        browser.say()
        await settled()
    assert len(app.runs) == 2
    await end(app.runs[0])
    assert len(app.runs) == 3
    gate.release_turn(list(Gate.connections)[1])  # its run waits for something else
    await settled()
    assert len(app.runs) == 4


@in_a_loop
async def test_a_run_whose_browser_left_keeps_its_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "QUEUE", ScriptQueue(at_a_time=1))
    monkeypatch.setattr(script_queue, "LONGEST_TURN", 0.05)
    app = Drawing()
    first, second = Browser(Gate(app)), Browser(Gate(app))
    first.say()
    await settled()
    first.leave()
    second.say()
    await settled()
    assert (len(app.runs), app.ended) == (1, [1001])
    await until(lambda: len(app.runs) == 2)


@in_a_loop
async def test_who_leaves_while_waiting_starts_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "QUEUE", ScriptQueue(at_a_time=1))
    app = Drawing()
    first, waiting, left = Browser(Gate(app)), Browser(Gate(app)), Browser(Gate(app))
    for browser in (first, waiting, left):
        browser.say()
        await settled()
    waiting.say(protocol.heartbeat())  # what comes meanwhile is kept
    left.leave()
    await settled()
    assert app.ended == [1001] and len(app.runs) == 1
    await end(app.runs[0])
    assert len(app.runs) == 3  # the run of the second one, and its heartbeat


@in_a_loop
async def test_what_a_browser_sent_before_it_left_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "QUEUE", ScriptQueue(at_a_time=2))
    app = Drawing()
    says: asyncio.Queue[dict[str, Any]] = asyncio.Queue()

    async def broken(_message: Any) -> None:
        raise OSError

    visit = asyncio.ensure_future(Gate(app)(scope("websocket", "/_stcore/stream"), says.get, broken))
    says.put_nowait({"type": "websocket.receive", "bytes": protocol.rerun()})
    await settled()
    with pytest.raises(OSError):
        await end(app.runs[0])
    says.put_nowait({"type": "websocket.receive", "bytes": protocol.rerun()})
    await asyncio.wait_for(visit, 10)
    assert len(app.runs) == 1
    assert app.ended == [gate.TRY_LATER]


@in_a_loop
async def test_a_part_of_a_page_that_is_being_left_is_not_drawn() -> None:
    """Streamlit drew it after the new page, and the browser removed that one."""
    app = Drawing()
    browser, old, new = Browser(Gate(app)), {"page_hash": "old"}, {"page_hash": "new"}
    part, other = {"fragment": "part"}, {"fragment": "other"}
    steps: list[tuple[dict[str, str], int]] = [({}, 1), (part | old, 2), (new, 3), (part | old, 3), (other | new, 4)]
    for asked, arrived in steps:
        browser.say(protocol.rerun(**asked))
        await settled()
        assert len(app.runs) == arrived, asked
    await end(app.runs[2])
    for asked in (old, part | old):  # back on the old page
        browser.say(protocol.rerun(**asked))
        await settled()
    assert len(app.runs) == 6


@in_a_loop
async def test_the_turn_of_a_first_page_ends_with_its_websocket(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two links whose pages took for ever, closed after a second, kept all newcomers waiting for a minute."""
    queue = ScriptQueue(first_pages=1)
    monkeypatch.setattr(gate, "QUEUE", queue)
    browser, gone, late = Browser(Gate(Drawing())), Runner("a", is_first_page=True), Runner("a", is_first_page=True)
    await settled()
    (connection,) = Gate.connections.values()
    gate.join_first_pages(connection, gone)
    queue.join(other := Runner("b", is_first_page=True))
    assert (queue.before(gone), queue.before(other)) == (0, 1)
    browser.leave()
    await settled()
    assert queue.before(other) == 0
    queue.leave(other)
    gate.join_first_pages(connection, late)  # its script noticed too late that the browser left
    queue.join(newcomer := Runner("c", is_first_page=True))
    assert queue.before(newcomer) == 0
