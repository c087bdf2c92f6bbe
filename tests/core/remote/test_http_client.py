"""A hostile server can neither prolong an exchange nor lead it elsewhere, and connections are used again."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from core.errors import ServerGone, WrongServer
from core.remote import address, http_client
from core.remote.address import Address
from core.remote.http_client import HttpClient
from tests.core.remote.serving import Asked, Reply, serve

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n"
pytestmark = pytest.mark.usefixtures("no_waiting")


@contextmanager
def raw_server(*parts: bytes, pause: float = 0.0) -> Iterator[tuple[HttpClient, Future[bytes]]]:
    """Answer one request with these parts. Gives a client, and what the client sent until it hung up."""
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as thread:

        def answer() -> bytes:
            connection, _peer = listening.accept()
            received = b""
            with connection, suppress(OSError):
                received = connection.recv(65536)
                for part in parts:
                    connection.sendall(part)
                    time.sleep(pause)
                while more := connection.recv(65536):
                    received += more
            return received

        yield HttpClient(Address.parse(f"http://127.0.0.1:{listening.getsockname()[1]}"), own=True), thread.submit(answer)


@pytest.mark.parametrize("begun", [b"", OK, OK + b"\r\n{"], ids=["status", "headers", "body"])
@pytest.mark.parametrize("streams", [False, True])
def test_a_server_that_drips_bytes_does_not_prolong_the_deadline(begun: bytes, streams: bool) -> None:
    drops = {b"": b"HTTP/1.1 200 OK\r\n", OK: b"a: " + b"b" * 100, OK + b"\r\n{": b""}[begun]
    with raw_server(begun, *(drops[i : i + 1] for i in range(len(drops))), pause=0.02) as (client, _received):
        start = time.monotonic()
        with pytest.raises(ServerGone, match="in time"):
            _answer = list(client.stream("/x", {}, 0.2)) if streams else client.get("/x", 0.2)
        assert time.monotonic() - start < 1.0


def test_a_server_that_reads_nothing_does_not_prolong_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        client = HttpClient(Address.parse(f"http://127.0.0.1:{silent.getsockname()[1]}"), own=True)
        with pytest.raises(ServerGone, match="in time"):
            client.post("/x", {"text": "a" * 20_000_000}, 0.3)


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nhello",
        OK + b"Content-Encoding: GZIP\r\n\r\n{}",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
        OK + b"a: " + b"b" * 200_000 + b"\r\n\r\n{}",
    ],
    ids=["101", "compressed", "compressed parts", "SSH", "a long header"],
)
def test_other_protocols_and_forms_are_refused_in_one_sentence(answer: bytes, streams: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_client, "PAUSES", ())
    with raw_server(answer) as (client, _received), pytest.raises(ServerGone, match="The text is kept"):
        _answer = list(client.stream("/x", {}, 5.0)) if streams else client.get("/x", 5.0)


def test_closing_a_stream_ends_its_connection() -> None:
    with raw_server(b"HTTP/1.1 200 OK\r\n\r\none\ntwo\nthr", b"ee\n") as (client, received):
        arriving = client.stream("/x", {})
        assert [next(arriving), next(arriving)] == [b"one\n", b"two\n"]
        assert not received.done()
        arriving.close()  # type: ignore[attr-defined]
        assert received.result(5.0).startswith(b"POST /x HTTP/1.1\r\n")


def test_neither_a_cookie_nor_a_proxy_is_used_and_the_connection_is_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    connected: list[int] = []
    create_connection = socket.create_connection

    def connect(numbered: tuple[str, int], **options: Any) -> socket.socket:
        connected.append(numbered[1])
        return create_connection(numbered, **options)

    monkeypatch.setattr(address.socket, "create_connection", connect)
    with serve(lambda asked: Reply(200, b"{}", headers={"Set-Cookie": "a=b; Path=/"})) as server:
        client = HttpClient(Address.parse(server.address), "sk-secret", own=True)
        for _count in range(3):
            assert client.post("/x", {"a": 1}).status == 200
    assert connected == [server.port]
    assert all("cookie" not in asked.headers and asked.headers["host"] == server.address[7:] for asked in server.asked)
    assert all(asked.headers["accept-encoding"] == "identity" for asked in server.asked)


def test_a_forbidden_address_is_named_although_the_server_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    entry = (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("169.254.169.254", 80))
    monkeypatch.setattr(address.socket, "getaddrinfo", lambda *_arguments, **_options: [entry])
    with pytest.raises(WrongServer, match="link-local"):
        HttpClient(Address.parse("http://innocent.example:80")).first("/v1/models")


def test_a_lost_idle_connection_is_replaced() -> None:
    def once(asked: Asked) -> Reply:
        return Reply(200, b"{}", headers={"Connection": "close"})

    with serve(once) as server:
        client = HttpClient(Address.parse(server.address), own=True)
        assert [client.get("/x").status for _count in range(3)] == [200, 200, 200]
    with serve(once, server.port):
        assert client.get("/x").status == 200
