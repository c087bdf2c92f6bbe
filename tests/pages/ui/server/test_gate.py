"""The gate: how many may connect, who is let go of, what is not public; as ASGI, without a server."""

from __future__ import annotations

import asyncio
import errno
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from pages.ui.server import deployment, gate, lifespan
from pages.ui.server.gate import Gate
from pages.ui.server.script_queue import ScriptQueue
from pages.ui.server.upload_totals import LEAST, Uploads
from tests import protocol
from tests.pages.asgi import Browser, answer, in_a_loop, scope, served, settled, until


class Inside:
    """The app behind the gate: remembers what came through, holds websockets open until they hang up."""

    def __init__(self) -> None:
        self.came: list[dict[str, str]] = []
        self.methods: list[str] = []
        self.ended: list[int] = []
        self.heard: list[bytes] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.came.append({name.decode(): value.decode() for name, value in scope["headers"]})
        if scope["type"] == "http":
            self.methods.append(scope["method"])
            if scope["method"] == "PUT":
                await receive()
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": b"inside"})
            return
        while (message := await receive())["type"] != "websocket.disconnect":
            self.heard.append(message.get("bytes", b""))
        self.ended.append(message["code"])


@pytest.fixture
def inside() -> Inside:
    return Inside()


@pytest.fixture
def through(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> Iterator[Gate]:
    Gate.connections.clear()
    Gate.refused.clear()
    monkeypatch.setattr(gate, "QUEUE", ScriptQueue())
    yield Gate(inside)
    Gate.connections.clear()


@in_a_loop
async def test_one_address_cannot_take_all_sockets(through: Gate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_SOCKETS_PER_ADDRESS", "5")
    greedy = [Browser(through, "203.0.113.7") for _ in range(8)]
    other = Browser(through, "203.0.113.8")
    network = [Browser(through, f"2001:db8::{number}") for number in range(6)]
    await settled()
    assert [one.refused for one in greedy] == [False] * 5 + [True] * 3
    assert [one.refused for one in network] == [False] * 5 + [True]  # one visitor has all addresses of a network of IPv6
    assert not other.refused
    assert Gate.refused["sockets of one address"] == 4


@in_a_loop
async def test_a_newcomer_takes_the_place_of_the_socket_that_was_silent_longest(
    through: Gate, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_SOCKETS", "3")
    there = [Browser(through, f"203.0.113.{number}") for number in range(3)]
    early = Browser(through, "203.0.113.99")
    await settled()
    assert early.refused  # nobody has been silent for long
    monkeypatch.setattr(gate, "SILENT_SECONDS", 0.0)
    there[0].say()
    there[2].say()
    await settled()
    late = Browser(through, "203.0.113.98")
    await settled()
    assert not late.refused
    assert [one.task.done() for one in there] == [False, True, False]
    assert inside.ended == [gate.TRY_LATER]


@in_a_loop
async def test_a_socket_that_never_asks_for_a_page_is_let_go(through: Gate, inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "FIRST_MESSAGE_SECONDS", 0.05)
    silent, speaking = Browser(through), Browser(through)
    speaking.say()
    await until(silent.task.done)
    await settled()
    assert not speaking.task.done()
    assert silent.hears == [{"type": "websocket.close", "code": gate.TRY_LATER}]
    assert len(Gate.connections) == 1


@in_a_loop
async def test_a_websocket_of_another_site_is_refused_and_no_header_makes_anybody_local(through: Gate, inside: Inside) -> None:
    evil = Browser(through, origin="https://evil.example")
    rebound = Browser(through, host="evil.example", origin="http://evil.example")
    forged = Browser(through, "203.0.113.7", **{deployment.CAME_FROM_HEADER.replace("-", "_"): deployment.LOCAL})
    own = Browser(through, origin="http://localhost:8501")
    await settled()
    assert (evil.refused, rebound.refused, forged.refused, own.refused) == (True, True, False, False)
    assert [one[deployment.CAME_FROM_HEADER] for one in inside.came] == [deployment.ELSEWHERE, deployment.LOCAL]


@in_a_loop
async def test_a_proxy_that_removes_the_upgrade_is_named_to_the_operator_until_a_websocket_works(
    through: Gate, inside: Inside, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def warns() -> bool:
        return b"the proxy does not pass websockets" in (await lifespan.healthz(None)).body  # type: ignore[arg-type]

    monkeypatch.setattr(lifespan, "is_running", lambda: False)
    monkeypatch.setattr(lifespan.preload, "_loading", [])
    monkeypatch.setattr(Gate, "lacks_websockets", False)
    stranger = scope("http", "/viewer/_stcore/stream")
    other_site = scope("http", "/_stcore/stream", origin="https://evil.example", sec_websocket_key="a")
    for asked in (stranger, other_site):  # no page of this app asked
        status, _head, body = await answer(through, asked)
        assert status == 426 and b"so the page stays grey" in body and not inside.came
        assert not await warns() and not caplog.text
    own = scope("http", "/viewer/_stcore/stream", origin="http://localhost:8501", sec_websocket_key="a")
    assert (await answer(through, own))[0] == 426 and "does not pass websockets" in caplog.text and await warns()
    browser = Browser(through)
    browser.say()
    await settled()
    assert not await warns(), "a websocket works"


@in_a_loop
async def test_metrics_are_the_operator_s(through: Gate) -> None:
    for path in ("/_stcore/metrics", "/_stcore/metrics/", "/base/_stcore/metrics", "/_stcore/script-health-check"):
        assert (await answer(through, scope("http", path, "203.0.113.7")))[0] == 404
        assert (await answer(through, scope("http", path, x_forwarded_for="203.0.113.7")))[0] == 404
    assert (await answer(through, scope("http", "/_stcore/metrics")))[0] == 200


@in_a_loop
async def test_every_answer_carries_the_policy_and_a_strange_name_gets_none_but_the_health(through: Gate) -> None:
    status, head, body = await answer(through, scope("http", "/watch"))
    assert (status, body) == (200, b"inside")
    assert "img-src 'self'" in head["content-security-policy"]
    assert "frame-ancestors 'self'" in head["content-security-policy"]
    assert head["x-content-type-options"] == "nosniff"
    status, head, _ = await answer(through, scope("http", "/watch", host="evil.example"))
    assert status == 403
    assert (await answer(through, scope("http", "/healthz", host="evil.example")))[0] == 200


LARGE = {"content_length": str(9 * 2**20)}


@pytest.fixture
def uploads(monkeypatch: pytest.MonkeyPatch) -> Uploads:
    """Uploads of one test, with 10 MB for a session and 25 MB for all."""
    monkeypatch.setenv("TOKEN_VIEWER_UPLOADS_MEGABYTES", "10")
    monkeypatch.setenv("TOKEN_VIEWER_ALL_UPLOADS_MEGABYTES", "25")
    made = Uploads()
    monkeypatch.setattr(gate, "UPLOADS", made)
    return made


def answers(status: int | Callable[[str], int], reads: bool = True) -> Gate:
    """Return a gate before an app that answers each request with this status, or with that of its method."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        if reads:
            await receive()
        found = status if isinstance(status, int) else status(scope["method"])
        await send({"type": "http.response.start", "status": found, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    return Gate(app)


async def sent(through: Gate, session: str, file: str, method: str = "PUT", peer: str = "127.0.0.1", **headers: str) -> int:
    return (await answer(through, scope("http", f"/_stcore/upload_file/{session}/{file}", peer, method, **headers)))[0]


@in_a_loop
async def test_the_files_of_one_session_and_of_all_are_bounded_in_sum(through: Gate, uploads: Uploads) -> None:
    assert await sent(through, "one", "a", **LARGE) == 200
    assert await sent(through, "one", "b", **LARGE) == 413
    assert await sent(through, "one", "a", **LARGE) == 413  # a file is sent once
    assert await sent(through, "two", "b", **LARGE) == 200
    assert await sent(through, "three", "c", **LARGE) == 413  # 27 MB of all
    assert await sent(through, "one", "a", method="DELETE") == 200
    assert await sent(through, "three", "c", **LARGE) == 200
    for length in ({}, {"content_length": "-1"}, {"content_length": "9" * 30}):
        assert await sent(through, "four", "a", **length) == 413
    assert uploads.of_session.total() == sum(uploads.sizes.values()) == 2 * (9 * 2**20 + LEAST)


@in_a_loop
async def test_the_sessions_of_one_address_leave_room_for_other_addresses(
    through: Gate, uploads: Uploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Three sessions of one address held all 512 MB for two minutes at a time."""
    monkeypatch.setenv("TOKEN_VIEWER_PUBLIC", "1")
    monkeypatch.setenv("TOKEN_VIEWER_HOSTS", "*")
    monkeypatch.setenv("TOKEN_VIEWER_ALL_UPLOADS_MEGABYTES", "40")
    for number, status in enumerate((200, 200, 413)):
        assert await sent(through, f"greedy {number}", "a", peer="203.0.113.1", **LARGE) == status
    for address in ("203.0.113.2", "203.0.113.3"):
        assert await sent(through, address, "a", peer=address, **LARGE) == 200
    assert await sent(through, "greedy 0", "a", method="DELETE", peer="203.0.113.1") == 200
    assert await sent(through, "greedy 2", "a", peer="203.0.113.1", **LARGE) == 200
    assert uploads.of_address.total() == uploads.of_session.total() and set(uploads.addresses) == set(uploads.sizes)


@in_a_loop
async def test_files_that_are_announced_and_never_sent_leave_room_for_others(uploads: Uploads) -> None:
    through = answers(204)
    says: asyncio.Queue[Any] = asyncio.Queue()
    heard: list[Any] = []

    async def hear(message: Any) -> None:
        heard.append(message)

    asked = [scope("http", f"/_stcore/upload_file/silent{number}/a", method="PUT", **LARGE) for number in range(20)]
    silent = [asyncio.ensure_future(through(one, says.get, hear)) for one in asked]
    await settled()
    assert await sent(through, "honest", "a", **LARGE) == 204
    assert await sent(through, "second", "a", **LARGE) == 204
    says.put_nowait({"type": "http.request", "body": b"a" * 9 * 2**20, "more_body": False})
    await asyncio.wait(silent, return_when=asyncio.FIRST_COMPLETED)  # one begins to send, and there is no room left
    assert heard[0]["status"] == 413 and 18 * 2**20 < uploads.of_session.total() < 19 * 2**20


@in_a_loop
async def test_a_file_that_was_read_or_that_nobody_reads_is_deleted(
    through: Gate, inside: Inside, uploads: Uploads, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert await sent(through, "one", "a", **LARGE) == 200
    with ThreadPoolExecutor(1) as script:
        script.submit(uploads.let_go, "a").result()
    await settled()
    assert inside.methods == ["PUT", "DELETE"] and not uploads.sizes
    monkeypatch.setattr(gate, "UNREAD_SECONDS", 0.01)
    assert await sent(through, "one", "b", **LARGE) == 200
    await until(lambda: inside.methods == ["PUT", "DELETE"] * 2 and not uploads.sizes)


@in_a_loop
async def test_a_file_that_fails_or_never_arrives_is_not_counted(uploads: Uploads, monkeypatch: pytest.MonkeyPatch) -> None:
    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(60)

    refuse = answers(400, reads=False)
    monkeypatch.setattr(gate, "UPLOAD_SECONDS", 0.05)
    asked = asyncio.ensure_future(sent(Gate(slow), "one", "a", **LARGE))
    await settled()
    assert await sent(refuse, "one", "a", method="DELETE") == 409  # it would not count any more
    assert await asked == 408
    assert await sent(refuse, "one", "b", **LARGE) == 400
    assert not uploads.sizes and not uploads.arriving


@pytest.mark.parametrize(("number", "status"), [(errno.ENOSPC, 507), (errno.EDQUOT, 507), (errno.EPIPE, None)])
@in_a_loop
async def test_a_full_disk_is_a_sentence_and_the_file_does_not_count(number: int, status: int | None, uploads: Uploads) -> None:
    async def full(scope: Any, receive: Any, send: Any) -> None:
        raise OSError(number, "a")

    asked = answer(Gate(full), scope("http", "/_stcore/upload_file/one/a", method="PUT", **LARGE))
    if status is None:
        with pytest.raises(BrokenPipeError):
            await asked
    else:
        answered = await asked
        assert answered[0] == status and b"disk" in answered[2]
    assert not uploads.sizes and not uploads.arriving


@in_a_loop
async def test_a_file_that_could_not_be_deleted_still_counts(uploads: Uploads) -> None:
    through = answers(lambda method: 403 if method == "DELETE" else 200)
    assert await sent(through, "one", "a", **LARGE) == 200
    assert await sent(through, "one", "a", method="DELETE") == 403
    assert await sent(through, "one", "b", **LARGE) == 413


@in_a_loop
async def test_streamlit_sees_an_origin_that_it_knows_without_a_network(
    through: Gate, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_HOSTS", "viewer.example")
    own = {"host": "viewer.example", "origin": "https://viewer.example"}
    assert (await answer(through, scope("http", **own)))[0] == 200
    assert (await answer(through, scope("http", **own | {"origin": "https://evil.example"})))[0] == 200
    assert [one.get("origin") for one in inside.came] == ["http://localhost", None]


@in_a_loop
async def test_a_message_that_this_app_does_not_need_is_dropped_and_a_forbidden_one_ends_the_websocket(
    through: Gate, inside: Inside
) -> None:
    browser = Browser(through)
    for data in (protocol.clear_cache(), protocol.rerun("a"), protocol.upload_addresses(10), protocol.upload_addresses(11)):
        browser.say(data)
    await settled()
    assert inside.heard[1:] == [protocol.rerun("a"), protocol.upload_addresses(10)]
    assert inside.ended == [gate.FORBIDDEN] and browser.refused
    await browser.task
    assert Gate.refused["forbidden messages"] == 2


@in_a_loop
async def test_many_messages_of_one_websocket_wait_and_those_of_another_do_not(
    through: Gate, inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gate, "BURST", 20.0)
    greedy, other = Browser(through), Browser(through)
    for _number in range(50):
        greedy.say(protocol.rerun("greedy"))
    await settled()
    other.say(protocol.rerun("other"))
    await settled()
    assert inside.heard.count(protocol.rerun("greedy")) == 5
    assert protocol.rerun("other") in inside.heard


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
@pytest.mark.parametrize("path", ["/vote", "/healthz", "/x", "/_stcore/upload_file/session/file"])
@in_a_loop
async def test_a_body_in_chunks_is_refused_and_its_connection_closed(through: Gate, inside: Inside, method: str, path: str) -> None:
    status, head, text = await answer(through, scope("http", path, method=method, transfer_encoding="chunked"))
    assert (status, head["connection"], inside.came) == (411, "close", []) and b"Content-Length" in text


@in_a_loop
async def test_a_page_is_answered_in_spite_of_chunks_and_its_connection_closed(through: Gate) -> None:
    status, head, text = await answer(through, scope("http", "/healthz", transfer_encoding="gzip, chunked"))
    assert (status, head["connection"], text) == (200, "close", b"inside")
    assert "connection" not in (await answer(through, scope("http", "/healthz")))[1]


@pytest.mark.parametrize("asked", ["POST /x", "GET /healthz"])
def test_the_server_stops_reading_chunks_once_it_has_answered(through: Gate, asked: str) -> None:
    with served(through) as address, socket.create_connection(("127.0.0.1", int(address.partition(":")[2])), 30) as line:
        line.sendall(f"{asked} HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n".encode())
        with pytest.raises(OSError):  # reset, or a broken pipe; more than what the sockets' buffers take
            line.sendall(b"1\r\na\r\n" * 2_000_000)
