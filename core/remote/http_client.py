"""HTTP client for one inference server: JSON with limits on time and size, to one address only.

It uses httpcore, the transport of httpx, which has no redirects, cookies, proxies of the environment or decompression to switch off.
Connections go to checked IP addresses only. Each exchange ends at its deadline and after a number of bytes.
"""

from __future__ import annotations

import io
import socket
import ssl
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain
from multiprocessing.connection import wait
from typing import Any
from urllib.parse import urlsplit

import httpcore
from pydantic_core import from_json, to_json

from core.errors import ServerGone, WrongServer
from core.message import Message
from core.remote.address import Address as Address
from core.remote.address import ForbiddenAddress, connected_socket

AROUND_ANSWER = 1 << 18  # bytes of headers and of the marks between the parts of an answer, beside its allowed size
CONNECT_SECONDS = 5.0
LONGEST_LINE = 1 << 20  # bytes, of a stream
LEAST_PIECE = 64  # bytes that a part or a line of an answer counts at least, because each costs time; a line with a token has more
LARGEST_ANSWER = 64 * 1024 * 1024  # bytes, for any request
USUAL_ANSWER = 1024 * 1024  # bytes of an answer whose length does not depend on what is asked
LEAST_PER_ITEM = 3  # bytes; an answer with more items per byte is not one of an inference server
PATIENCE = 120.0  # seconds for one whole answer
FIRST_PATIENCE = 6.0  # seconds for the first answer; every failure is reported after the same time
PAUSES = (0.3, 1.0)  # seconds before asking again
BUSY = frozenset({429, 500, 502, 503, 504})
KEY_REFUSED = frozenset({401, 403})
IDLE_CONNECTIONS = 16
SHORTEST_SECRET = 6  # characters of a key that is removed from answers; a shorter one could be a part of any text


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


_tls = cache(httpcore.default_ssl_context)  # reading the certificates takes 30 ms


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer: the status and the JSON object (empty for a refusal without JSON)."""

    status: int
    body: dict[str, Any]

    @property
    def complaint(self) -> str:
        """Return the server's error message, at most 200 characters; "" without one."""
        error = self.body.get("error", self.body.get("message", self.body.get("detail", "")))
        text = error.get("message", "") if isinstance(error, dict) else error
        return "".join(c if c.isprintable() else " " for c in str(text))[:200].strip()


class _Transient(ServerGone):
    """A lost connection or a busy server. The same request may succeed later."""


class HttpClient:
    """A client of one server. Requests can be repeated without harm, so after a lost connection or a busy answer it tries again, twice.

    own: the app started this server itself, so it needs no permission.
    Raises ServerGone without a usable answer, WrongServer for an invalid or refused key or a server that is not allowed.
    """

    def __init__(self, address: Address, api_key: str | None = None, patience: float = PATIENCE, own: bool = False) -> None:
        if api_key and not (api_key.isascii() and api_key.isprintable()):
            raise WrongServer("This access key contains invalid characters. Copy it again.")
        if not (own or address.allowed):
            raise WrongServer("The operator of this app has not allowed this server.")
        self.address, self.patience = address, patience
        self._url = address.url.partition("#")[0]
        url = urlsplit(self._url)
        self._headers = [("Host", url.netloc), ("Accept-Encoding", "identity"), ("User-Agent", "token-probability-viewer")]
        key = (api_key or address.key or "").strip()
        self._secret = key.rpartition(" ")[2].encode()
        if key:
            self._headers.append(("Authorization", key if key.startswith(("Basic ", "Bearer ")) else f"Bearer {key}"))
        self._pool = httpcore.ConnectionPool(
            ssl_context=_tls() if url.scheme == "https" else None,
            max_connections=None,
            max_keepalive_connections=IDLE_CONNECTIONS,
            network_backend=CheckedNetwork(),
        )
        self._reports_errors = own or bool(address.named)  # whether errors may be reported in detail

    def first(self, path: str) -> Answer:
        """Return the JSON at this path, as the first request to an unknown server.

        If no inference server answers, the error is the same sentence after the same time for a closed port, no answer and a redirect.
        Visitors therefore cannot use it to scan a network. For servers in TOKEN_VIEWER_SERVERS errors are reported in detail.
        """
        until = time.monotonic() + FIRST_PATIENCE
        cause: Exception | None = None
        try:
            answer = self.get(path, FIRST_PATIENCE)
            if self._reports_errors or (answer.status == 200 and isinstance(answer.body.get("data"), list)):
                self._reports_errors = True
                return answer
        except (ServerGone, WrongServer) as error:
            if self._reports_errors or isinstance(error, ForbiddenAddress):  # a forbidden address reveals nothing about the network
                raise
            cause = error
        time.sleep(max(0.0, until - time.monotonic()))
        raise ServerGone(
            "No inference server answers at {address}. Check that vLLM or llama-server runs there with a loaded model.",
            address=self.address.shown,
        ) from cause

    def get(self, path: str, patience: float | None = None) -> Answer:
        """Return the JSON at this path."""
        return self._json(*self._ask(path, None, patience))

    def post(self, path: str, content: dict[str, Any], patience: float | None = None, most: int = USUAL_ANSWER) -> Answer:
        """Post this content and return the JSON answer. most: bytes of the answer."""
        return self._json(*self._ask(path, content, patience, most))

    def text(self, path: str, patience: float | None = None) -> str | None:
        """Return the text at this path, None if the status is not 200."""
        status, body = self._ask(path, None, patience)
        return body.decode("utf-8", "replace") if status == 200 else None

    def stream(self, path: str, content: dict[str, Any], patience: float | None = None) -> Iterator[bytes]:
        """Yield the lines of an answer on arrival, over a separate connection. Closing the iterator closes it. The request is not repeated.

        patience: seconds for the whole answer. Raises ServerGone for a refused, broken or too large answer, WrongServer for a wrong key.
        """
        deadline = time.monotonic() + (patience or self.patience)
        with self._response(path, to_json(content), deadline, LARGEST_ANSWER) as response:
            if response.status in KEY_REFUSED:
                raise self._key_required()
            if response.status != 200:
                raise self.gone(Message("refused a request (status {status})", status=response.status))
            yield from bounded(lines(bounded(response.iter_stream(), LARGEST_ANSWER)), LARGEST_ANSWER)

    def _ask(self, path: str, content: Any, patience: float | None, most: int = USUAL_ANSWER) -> tuple[int, bytes]:
        """Return status and body. Repeats the request after a lost connection or a busy answer."""
        deadline = time.monotonic() + (patience or self.patience)
        sent = None if content is None else to_json(content)
        for pause in (0.0, *PAUSES):
            time.sleep(pause)
            try:
                return self._once(path, sent, deadline, min(most, LARGEST_ANSWER))
            except _Transient as error:
                failure = error
            if time.monotonic() + 1.0 > deadline:
                break
        raise failure

    def _once(self, path: str, content: bytes | None, deadline: float, most: int) -> tuple[int, bytes]:
        """Send one request; return status and body. Raises _Transient for a lost connection and a busy answer."""
        with self._response(path, content, deadline, most) as response:
            if 300 <= response.status < 400:
                raise WrongServer(
                    "The server at {address} redirects to another address. Give that address if you trust it.", address=self.address.shown
                )
            body = b"".join(bounded(response.iter_stream(), most))
        if len(self._secret) >= SHORTEST_SECRET:  # some services repeat the key in their error messages
            body = body.replace(self._secret, b"(key)")
        if response.status not in BUSY | KEY_REFUSED:
            return response.status, body
        with suppress(ValueError, RecursionError):  # an error message in the format of an inference server allows detailed errors
            message = from_json(body)
            self._reports_errors |= isinstance(message, dict) and bool(message.get("error"))
        if response.status in KEY_REFUSED:
            raise self._key_required()
        raise self.gone(Message("is busy, loading its model, or failing"), _Transient)

    @contextmanager
    def _response(self, path: str, content: bytes | None, deadline: float, most: int) -> Iterator[httpcore.Response]:
        """Send a request, a POST if it has content. Give the response before its body is read. Its errors become ServerGone.

        deadline: time (time.monotonic) at which the body must have arrived; most: bytes of the body.
        """
        method, headers = ("GET", []) if content is None else ("POST", [("Content-Type", "application/json")])
        limits = {"timeout": dict.fromkeys(("connect", "read", "write"), deadline)}  # `CheckedNetwork` expects a time, not a duration
        try:
            with self._pool.stream(
                method, self._url + path, headers=[*self._headers, *headers], content=content, extensions=limits
            ) as response:
                connection = response.extensions["network_stream"]
                if isinstance(connection, Connection):
                    connection.allow(most)
                if any(name.lower() == b"content-encoding" and value != b"identity" for name, value in response.headers):
                    raise self.gone(Message("sent a compressed answer, which was not requested"))
                yield response
        except TimeoutError as error:
            raise self.gone(Message("did not answer in time")) from error
        except TooManyBytes as error:
            raise self.gone(Message("sent more than was requested")) from error
        except (OSError, httpcore.ProtocolError, UnicodeError) as error:
            if getattr(error.args[0] if error.args else None, "error_status_hint", 0) == 431:  # headers or trailers of over 100 KB
                raise self.gone(Message("sent more than was requested")) from error
            raise self.gone(Message("does not answer"), _Transient) from error

    def _json(self, status: int, data: bytes) -> Answer:
        if sum(map(data.count, (b",", b"[", b"{"))) * LEAST_PER_ITEM > len(data) + 1000:
            raise self.gone(Message("sent an unreadable answer"))
        try:
            body = from_json(data, cache_strings="keys")
        except (ValueError, RecursionError) as error:
            if status >= 400:
                return Answer(status, {})
            html = data.lstrip()[:1] == b"<"
            raise self.gone(Message("sent a web page instead of an answer") if html else Message("sent an unreadable answer")) from error
        if not isinstance(body, dict):
            raise self.gone(Message("sent an invalid answer"))
        return Answer(status, body)

    def _key_required(self) -> WrongServer:
        return WrongServer("The server at {address} requires a valid access key.", address=self.address.shown)

    def gone(self, what: str, kind: type[ServerGone] = ServerGone) -> ServerGone:
        """Return the error that names the server's fault and says that the text is not lost."""
        return kind(Message("The server at {address} {what}. The text is kept. Try again later.", address=self.address.shown, what=what))
