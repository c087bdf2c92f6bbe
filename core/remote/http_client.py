"""HTTP client for one inference server: JSON with limits on time and size, to one address only.

It uses Python's `http.client` over connections that stay open, because every token is a request and a new connection would slow each one.
"""

from __future__ import annotations

import http.client
import io
import ssl
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any, cast
from urllib.parse import urlsplit

from pydantic_core import from_json, to_json

from core.errors import ServerGone, WrongServer
from core.message import Message
from core.remote.address import Address as Address
from core.remote.address import connected_socket

LARGEST_ANSWER = 64 * 1024 * 1024  # bytes, for any request
USUAL_ANSWER = 1024 * 1024  # bytes of an answer whose length does not depend on what is asked
LEAST_PER_ITEM = 3  # bytes; an answer with more items per byte is not one of an inference server
LONGEST_LINE = 1 << 20  # bytes, of a stream
LEAST_LINE = 64  # bytes that a line of a stream counts at least; a line with a token has more
AROUND_ANSWER = 1 << 20  # bytes of headers and of the marks between the parts of an answer, beside twice its size
PATIENCE = 120.0  # seconds for one whole answer
FIRST_PATIENCE = 6.0  # seconds for the first answer; every failure is reported after the same time
PAUSES = (0.3, 1.0)  # seconds before asking again
BUSY = frozenset({429, 500, 502, 503, 504})
IDLE_CONNECTIONS = 16
SHORTEST_SECRET = 6  # characters of a key that is removed from answers; a shorter one could be a part of any text


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
        parts = urlsplit(address.url)
        self._secure, self._host, self._path = parts.scheme == "https", parts.hostname or "", parts.path
        self._port = parts.port or (443 if self._secure else 80)
        self._headers = f"Host: {parts.netloc}\r\nAccept-Encoding: identity\r\nUser-Agent: token-probability-viewer\r\n"
        key = api_key or address.key
        self._secret = (key or "").rpartition(" ")[2].encode()
        if key:
            self._headers += f"Authorization: {key if key.startswith(('Basic ', 'Bearer ')) else f'Bearer {key}'}\r\n"
        self._idle: deque[_Line] = deque()
        self._open_talk = own or bool(address.named)  # whether errors may be reported in detail

    def first(self, path: str) -> Answer:
        """Return the JSON at this path, as the first request to an unknown server.

        If no inference server answers, the error is the same sentence after the same time for a closed port, no answer and a redirect.
        Visitors therefore cannot use it to scan a network. For servers in TOKEN_VIEWER_SERVERS errors are reported in detail.
        """
        until = time.monotonic() + FIRST_PATIENCE
        cause: Exception | None = None
        try:
            answer = self.get(path, FIRST_PATIENCE)
            if self._open_talk or (answer.status == 200 and isinstance(answer.body.get("data"), list)):
                self._open_talk = True
                return answer
        except (ServerGone, WrongServer) as error:
            if self._open_talk:
                raise
            cause = error
        time.sleep(max(0.0, until - time.monotonic()))
        raise ServerGone(
            "No inference server answers at {address}. Check that vLLM or llama-server runs there with a loaded model.",
            address=self.address.shown,
        ) from cause

    def get(self, path: str, patience: float | None = None) -> Answer:
        """Return the JSON at this path."""
        return self._json(*self._ask("GET", path, None, patience))

    def post(self, path: str, content: dict[str, Any], patience: float | None = None, most: int = USUAL_ANSWER) -> Answer:
        """Post this content and return the JSON answer. most: bytes of the answer."""
        return self._json(*self._ask("POST", path, content, patience, most))

    def text(self, path: str, patience: float | None = None) -> str | None:
        """Return the text at this path, None if the status is not 200."""
        status, body = self._ask("GET", path, None, patience)
        return body.decode("utf-8", "replace") if status == 200 else None

    def stream(self, path: str, content: dict[str, Any], patience: float | None = None) -> Iterator[bytes]:
        """Yield the lines of an answer on arrival, over a separate connection. Closing the iterator closes it. The request is not repeated.

        patience: seconds for the whole answer. Raises ServerGone for a refused, broken or too large answer, WrongServer for a wrong key.
        """
        connection: _Line | None = None
        try:
            deadline = time.monotonic() + (patience or self.patience)
            sent = to_json(content)
            connection = self._fresh(deadline)
            head = (
                f"POST {self._path}{path} HTTP/1.1\r\n{self._headers}Content-Type: application/json\r\nContent-Length: {len(sent)}\r\n\r\n"
            )
            response = connection.ask("POST", head.encode("ascii") + sent, deadline, LARGEST_ANSWER)
            if response.status in (401, 403):
                raise WrongServer("The server at {address} requires a valid access key.", address=self.address.shown)
            if response.status != 200:
                raise self.gone(Message("refused a request (status {status})", status=response.status))
            size = 0
            while said := response.readline(LONGEST_LINE):
                size += max(len(said), LEAST_LINE)
                if size > LARGEST_ANSWER or len(said) >= LONGEST_LINE:
                    raise self.gone(Message("sent more than was requested"))
                yield said
        except TimeoutError as error:
            raise self.gone(Message("did not answer in time")) from error
        except _TooMuch as error:
            raise self.gone(Message("sent more than was requested")) from error
        except (OSError, http.client.HTTPException, UnicodeError) as error:
            raise self.gone(Message("does not answer")) from error
        finally:
            if connection is not None:
                connection.hang_up()

    def _ask(
        self, method: str, path: str, content: dict[str, Any] | None, patience: float | None, most: int = USUAL_ANSWER
    ) -> tuple[int, bytes]:
        deadline = time.monotonic() + (patience or self.patience)
        sent = None if content is None else to_json(content)
        cause: Exception | None = None
        busy = False
        for pause in (0.0, *PAUSES):
            time.sleep(pause)
            try:
                status, body = self._once(method, path, sent, deadline, min(most, LARGEST_ANSWER))
            except TimeoutError as error:
                raise self.gone(Message("did not answer in time")) from error
            except _TooMuch as error:
                raise self.gone(Message("sent more than was requested")) from error
            except (OSError, http.client.HTTPException, UnicodeError) as error:
                busy, cause = False, error
            else:
                if status not in BUSY:
                    return status, body
                self._recognise(body)
                busy, cause = True, None
            if time.monotonic() + 1.0 > deadline:
                break
        raise self.gone(Message("is busy, loading its model, or failing") if busy else Message("does not answer")) from cause

    def _once(self, method: str, path: str, content: bytes | None, deadline: float, most: int) -> tuple[int, bytes]:
        """Send one request; return status and body. If the server has closed an idle connection, it is sent again on a new one."""
        with suppress(IndexError):
            known = self._idle.pop()
            with suppress(ConnectionError, ssl.SSLError):
                return self._on(known, method, path, content, deadline, most)
        return self._on(self._fresh(deadline), method, path, content, deadline, most)

    def _fresh(self, deadline: float) -> _Line:
        """Return a new connection. Raises OSError, WrongServer."""
        try:
            line = connected_socket(self._host, self._port, max(0.1, min(5.0, deadline - time.monotonic())))
        except WrongServer:  # a forbidden address reveals nothing about the network
            self._open_talk = True
            raise
        if self._secure:
            line = _tls().wrap_socket(line, server_hostname=self._host)
        return _Line(line)

    def _on(self, connection: _Line, method: str, path: str, content: bytes | None, deadline: float, most: int) -> tuple[int, bytes]:
        try:
            length = "" if content is None else f"Content-Type: application/json\r\nContent-Length: {len(content)}\r\n"
            head = f"{method} {self._path}{path} HTTP/1.1\r\n{self._headers}{length}\r\n".encode("ascii")
            response = connection.ask(method, head + (content or b""), deadline, most)
            if 300 <= response.status < 400:
                raise WrongServer(
                    "The server at {address} redirects to another address. Give that address if you trust it.", address=self.address.shown
                )
            if response.getheader("content-encoding", "identity") != "identity":
                raise self.gone(Message("sent a compressed answer, which was not requested"))
            if (response.length or 0) > most:
                raise self.gone(Message("sent more than was requested"))
            parts, size = [], 0
            while part := response.read(1 << 20):
                parts.append(part)
                size += len(part)
                if size > most:
                    raise self.gone(Message("sent more than was requested"))
            if response.length:
                raise http.client.IncompleteRead(b"")
        except BaseException:
            connection.hang_up()
            raise
        if response.will_close or len(self._idle) >= IDLE_CONNECTIONS:
            connection.hang_up()
        else:
            self._idle.append(connection)
        body = b"".join(parts)
        if len(self._secret) >= SHORTEST_SECRET:  # some services repeat the key in their error messages
            body = body.replace(self._secret, b"(key)")
        if response.status in (401, 403):
            self._recognise(body)
            raise WrongServer("The server at {address} requires a valid access key.", address=self.address.shown)
        return response.status, body

    def _recognise(self, body: bytes) -> None:
        """Allow detailed errors if the body is an error message in the format of an inference server."""
        with suppress(ValueError, RecursionError):
            said = from_json(body)
            self._open_talk |= isinstance(said, dict) and bool(said.get("error"))

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

    def gone(self, what: str) -> ServerGone:
        """Return the error that names the server's fault and says that the text is kept."""
        return ServerGone("The server at {address} {what}. The text is kept. Try again later.", address=self.address.shown, what=what)


class _TooMuch(Exception):
    """The server sent more bytes than an answer can have."""


class _Line:
    """A connection with the socket methods that `http.client` needs. Every exchange ends at its deadline, even if bytes arrive slowly."""

    def __init__(self, line: Any) -> None:
        self._socket = line
        self._deadline = 0.0
        self._left = 0  # bytes that may still come

    def ask(self, method: str, request: bytes, deadline: float, most: int) -> http.client.HTTPResponse:
        """Send a whole request; return the response before its body is read. Raises TimeoutError at the deadline (time.monotonic).

        most: bytes of the body. Headers, and the marks between its parts, are bounded too: without that, a server could send them until
        the deadline.
        """
        self._deadline, self._left = deadline, 2 * most + AROUND_ANSWER
        self._socket_in_time().sendall(request)
        response = http.client.HTTPResponse(cast(Any, self), method=method)
        response.begin()
        return response

    def receive(self, buffer: Any) -> int:
        """Receive the available bytes into the buffer; return their number."""
        count = int(self._socket_in_time().recv_into(buffer))
        self._left -= count
        if self._left < 0:
            raise _TooMuch
        return count

    def makefile(self, mode: str) -> io.BufferedReader:
        """Return a file object that reads one answer. Closing it leaves the connection open."""
        return io.BufferedReader(_Answering(self), 1 << 16)

    def hang_up(self) -> None:
        """Close the socket."""
        self._socket.close()

    def _socket_in_time(self) -> Any:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        self._socket.settimeout(left)
        return self._socket


class _Answering(io.RawIOBase):
    """A raw stream that reads one answer from a connection."""

    def __init__(self, line: _Line) -> None:
        self._line = line

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Receive the available bytes into the buffer; return their number."""
        return self._line.receive(buffer)


@cache
def _tls() -> ssl.SSLContext:
    context = ssl.create_default_context()
    with suppress(ImportError, OSError):  # for systems without their own certificates
        import certifi

        context.load_verify_locations(certifi.where())
    return context
