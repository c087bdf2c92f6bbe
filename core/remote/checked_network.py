"""Connections of httpcore to checked IP addresses only. Each exchange ends at its deadline and after a number of bytes."""

from __future__ import annotations

import io
import socket
import ssl
import time
from collections.abc import Iterable, Iterator
from itertools import chain
from multiprocessing.connection import wait
from typing import Any

import httpcore

from core.remote.address import connected_socket

AROUND_ANSWER = 1 << 18  # bytes of headers and of the marks between the parts of an answer, beside its allowed size
CONNECT_SECONDS = 5.0
LONGEST_LINE = 1 << 20  # bytes, of a stream
LEAST_PIECE = 64  # bytes that a part or a line of an answer counts at least, because each costs time; a line with a token has more


class TooManyBytes(Exception):
    """The server sent more bytes than an answer can have."""


class CheckedNetwork(httpcore.NetworkBackend):
    """Resolves and checks a host for each connection.

    In this backend a `timeout` of httpcore is the time (time.monotonic) at which the whole exchange ends, not seconds. A server that sends
    a byte now and then can therefore not prolong it.
    """

    def connect_tcp(self, host: str, port: int, timeout: float | None = None, *_options: Any, **_named_options: Any) -> Connection:
        """Return a new connection. Raises OSError without an answer, ForbiddenAddress."""
        return Connection(connected_socket(host, port, max(0.1, min(CONNECT_SECONDS, _left(timeout)))))


class Connection(httpcore.NetworkStream):
    """A connection for one exchange after the other. Raises TimeoutError at the deadline, TooManyBytes, OSError."""

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._allowed = 0  # bytes that may still come

    def allow(self, count: int) -> None:
        """Let the server send so many more bytes in this exchange."""
        self._allowed += count

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        """Return the available bytes, b"" at the end."""
        data = self._until(timeout).recv(max_bytes)
        self._allowed -= len(data)
        if self._allowed < 0:
            raise TooManyBytes
        return data

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        """Send these bytes. An exchange begins with this, so the bytes for the headers of its answer are allowed again."""
        self._allowed = AROUND_ANSWER
        self._until(timeout).sendall(buffer)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()

    def start_tls(self, ssl_context: ssl.SSLContext, server_hostname: str | None = None, timeout: float | None = None) -> Connection:
        """Return the encrypted connection."""
        return Connection(ssl_context.wrap_socket(self._until(timeout), server_hostname=server_hostname))

    def get_extra_info(self, info: str) -> object:
        """Return for "is_readable" whether bytes or the end have arrived, which means that an idle connection is unusable."""
        return bool(wait([self._socket], 0)) if info == "is_readable" else None

    def _until(self, deadline: float | None) -> socket.socket:
        left = _left(deadline)
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)
        return self._socket


def _left(deadline: float | None) -> float:
    """Return the seconds until this time (time.monotonic)."""
    return (deadline or 0.0) - time.monotonic()


def bounded(pieces: Iterable[bytes], most: int) -> Iterator[bytes]:
    """Yield these pieces. Raises TooManyBytes if they count more than `most` bytes."""
    size = 0
    for piece in pieces:
        size += max(len(piece), LEAST_PIECE)
        if size > most:
            raise TooManyBytes
        yield piece


def lines(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the lines in these parts, each with its newline. Raises TooManyBytes for a long line."""
    line = bytearray()
    for piece in chain.from_iterable(map(io.BytesIO, parts)):
        line += piece
        if len(line) >= LONGEST_LINE:
            raise TooManyBytes
        if piece.endswith(b"\n"):
            yield bytes(line)
            line.clear()
    if line:
        yield bytes(line)
