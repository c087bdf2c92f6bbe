"""The limit of a websocket's frames, behind a real server, and frame by frame."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from pages.ui.server.browser_message import LARGEST
from pages.ui.server.rate_limit import FrameLimit, limit_frames
from tests.pages.asgi import in_a_loop, served

MASK = b"\0\0\0\0"
PING, EMPTY_PART, BEGUN, TINY = (head + MASK for head in (b"\x89\x80", b"\x00\x80", b"\x02\x80", b"\x82\x80"))
ENDLESS = b"\x82\xff" + (45 * 2**20).to_bytes(8) + MASK


class Inner(asyncio.Protocol):
    def __init__(self) -> None:
        self.data = b""

    def data_received(self, data: bytes) -> None:
        self.data += data


class Line(asyncio.Transport):
    aborted = False

    def abort(self) -> None:
        self.aborted = True


def passed(*blocks: bytes) -> tuple[bytes, bool]:
    """Return what the protocol behind the limit gets, and whether the connection is ended."""
    inner, line, refused = Inner(), Line(), []
    limit = FrameLimit(line, inner, lambda: refused.append(1))
    for block in blocks:
        limit.data_received(block)
    assert len(refused) == line.aborted
    return inner.data, line.aborted


def message(size: int, first: int = 0x82) -> bytes:
    """Return a frame with so many bytes."""
    return bytes([first, 0xFF]) + size.to_bytes(8) + MASK + b"a" * size


@pytest.mark.parametrize("block", [1, 3, 1000])
def test_ordinary_messages_pass_in_blocks_of_any_size(block: int) -> None:
    sent = message(100) * 20 + b"\x82\x85" + MASK + b"hello" + PING * 5
    assert passed(*(sent[at : at + block] for at in range(0, len(sent), block))) == (sent, False)


def test_a_large_message_in_parts_passes_and_a_larger_one_does_not() -> None:
    part = 16 * 1024
    parts = [message(part, 0x02), *[message(part, 0x00)] * (LARGEST // part - 1)]
    assert not passed(*parts)[1]
    assert passed(*parts, message(part, 0x00))[1]


@pytest.mark.parametrize("frame", [PING, EMPTY_PART, TINY, BEGUN])
def test_too_many_frames_end_the_connection_before_the_server_sees_them(frame: bytes) -> None:
    seen, ended = passed(frame * 50, frame * 100_000, frame)
    assert ended and len(seen) == 50 * len(frame)


def test_a_message_that_is_announced_too_large_ends_the_connection_at_its_header() -> None:
    assert passed(ENDLESS[:7], ENDLESS[7:]) == (ENDLESS[:7], True)


def test_what_has_no_connection_is_left_alone() -> None:
    assert not limit_frames(asyncio.Queue().get, lambda: None)


async def visited(visit: Callable[[ClientConnection], Awaitable[Any]]) -> tuple[list[bytes], int, Any]:
    """Return the messages behind a real server, how often it ended a connection, and the result of this visit."""
    heard: list[bytes] = []
    refused: list[int] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        assert limit_frames(receive, lambda: refused.append(1))
        await receive()
        await send({"type": "websocket.accept"})
        while (got := await receive())["type"] != "websocket.disconnect":
            heard.append(got["bytes"])

    with served(app, ws="websockets-sansio") as address:
        async with connect(f"ws://{address}", compression=None, close_timeout=1) as line:
            found = await visit(line)
    return heard, len(refused), found


@in_a_loop
async def test_a_real_server_serves_a_browser_and_ends_a_flood() -> None:
    async def browser(line: ClientConnection) -> None:
        for _ in range(200):
            await line.send(b"a")
        await line.send([b"b" * 100_000] * 19)
        await (await line.ping())

    heard, refused, _none = await visited(browser)
    assert not refused and heard == [b"a"] * 200 + [b"b" * 1_900_000]

    async def flood(line: ClientConnection, sent: bytes) -> bool:
        line.transport.write(sent)
        try:
            async with asyncio.timeout(10):
                await line.recv()
        except ConnectionClosed:
            return True
        return False

    for sent in (PING * 100_000, BEGUN + EMPTY_PART * 100_000, TINY * 100_000, ENDLESS):
        heard, refused, ended = await visited(lambda line, sent=sent: flood(line, sent))  # type: ignore[misc]
        assert ended and refused == 1 and len(heard) <= 1000
