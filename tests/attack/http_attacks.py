"""Attacks without a session: on the rooms of a vote, and on the server that reads HTTP. Each is like those of `attacks.py`."""

from __future__ import annotations

import asyncio
import http.client
import socket
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from secrets import token_urlsafe
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from pages.ui.server.vote_page import COOKIE
from tests import protocol
from tests.benchmarks.hall import Hall, Presenter

HONEST, EVIL = "203.0.113.77", "203.0.113.66"
PHONES = 150


@asynccontextmanager
async def _stage(address: str, forwarded: str) -> AsyncIterator[Presenter]:
    """Open the stage and a vote."""
    async with protocol.websocket(address, forwarded) as line:
        stage = Presenter(line, Hall(urlsplit(address).port or 80))
        await stage.open()
        yield stage


def _asked(address: str, path: str, forwarded: str, cookies: int = 1) -> list[int]:
    """Ask for a path with so many new cookies. Return the statuses."""
    line = http.client.HTTPConnection(urlsplit(address).netloc, timeout=30)
    statuses = []
    for _cookie in range(cookies):
        line.request("GET", path, headers={"x-forwarded-for": forwarded, "cookie": f"{COOKIE}={token_urlsafe(16)}"})
        answer = line.getresponse()
        answer.read()
        statuses.append(answer.status)
    line.close()
    return statuses


async def rooms_of_one_address(address: str) -> bool:
    """One address opens sixty rooms and leaves each at once. Held: the next presenter has a room."""
    for _room in range(60):
        async with _stage(address, EVIL):
            pass
    async with _stage(address, HONEST) as stage:
        return stage.data["room"] is not None


async def room_of_cookies(address: str) -> bool:
    """One address enters a room with 700 cookies. Held: twenty phones of another address still enter."""
    async with _stage(address, HONEST) as stage:
        path = f"/vote/now?room={stage.data['room']['code']}"
        filled = await asyncio.to_thread(_asked, address, path, EVIL, 700)
        late = await asyncio.to_thread(_asked, address, path, HONEST, 20)
    return set(filled) == {200, 429} and set(late) == {200}


async def wrong_codes(address: str) -> bool:
    """One phone sends 500 wrong codes. Held: at most 60 are answered, its network gets the sentence, and phones of others enter."""
    async with _stage(address, HONEST) as stage:
        guesses = await asyncio.to_thread(lambda: [_asked(address, f"/vote/now?room=A{number:03d}", EVIL)[0] for number in range(500)])
        opened = await asyncio.to_thread(_asked, address, "/vote?room=ABCD", EVIL)
        code = stage.data["room"]["code"]
        typed = await asyncio.to_thread(_asked, address, f"/vote/now?room={code}", EVIL)
        elsewhere = await asyncio.to_thread(_asked, address, f"/vote/now?room={code}", HONEST)
    return guesses.count(404) <= 60 and (opened, typed, elsewhere) == ([200], [429], [200])


def _send_chunks(address: str, asked: str, seconds: float) -> bool:
    """Send chunks of one byte for so long. Return whether the server ended the connection."""
    place: Any = urlsplit(address)
    until = monotonic() + seconds
    with socket.create_connection((place.hostname, place.port), 30) as line, suppress(TimeoutError):
        line.settimeout(1)
        line.sendall(f"{asked} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        while monotonic() < until:
            try:
                line.send(b"1\r\na\r\n" * 10_000)
            except (BrokenPipeError, ConnectionResetError):
                return True
    return False


async def chunks_of_a_byte(address: str) -> bool:
    """A body in chunks of one byte, for ten seconds, to three routes. Held: the connection ends."""
    return all([await asyncio.to_thread(_send_chunks, address, asked, 10) for asked in ("POST /vote", "POST /x", "GET /healthz")])


def _fetched_live_page(address: str, name: str = "") -> tuple[int, str, int]:
    """Ask for the live page as a phone does. name: the ETag of one that it has. Return the status, the ETag and the bytes of the answer."""
    line = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    known = {"if-none-match": name} if name else {}
    line.request("GET", "/live", headers={"x-forwarded-for": HONEST, "accept-encoding": "gzip"} | known)
    answer = line.getresponse()
    assert answer.getheader("set-cookie") is None
    body = answer.read()
    line.close()
    return answer.status, str(answer.getheader("etag")), len(body)


async def live_page_to_150_phones(address: str) -> bool:
    """150 phones of one school ask for the live page at once, and again. Held: each gets it once, the same for all, then nothing."""
    with ThreadPoolExecutor(PHONES) as phones:
        first = list(phones.map(_fetched_live_page, [address] * PHONES))
        again = list(phones.map(_fetched_live_page, [address] * PHONES, [name for _status, name, _size in first]))
    status, name, size = first[0]
    return status == 200 and size > 1_000_000 and set(first) == {first[0]} and set(again) == {(304, name, 0)}


ATTACKS = (rooms_of_one_address, room_of_cookies, wrong_codes, chunks_of_a_byte, live_page_to_150_phones)
