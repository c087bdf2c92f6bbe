"""ASGI middleware before Streamlit: checks hosts, origins and messages, limits connections and uploads, sets security headers.

It decides on the event loop, before a script runs. Incomplete requests (silent connections, slow headers) never reach it; the proxy
in `deploy/` closes them.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field
from secrets import token_hex
from time import monotonic
from typing import Any, ClassVar

import streamlit as st

from core.disk_full import is_disk_full
from core.limits import Limits
from pages.ui.server import allowed_hosts, browser_message, deployment, network_address
from pages.ui.server.rate_limit import BURST, BURST_PER_ADDRESS, RATE, RATE_PER_ADDRESS, RateLimiter, limit_frames
from pages.ui.server.script_queue import ARRIVAL, QUEUE, Runner
from pages.ui.server.upload_totals import UPLOADS, UploadBounds

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

log = logging.getLogger(__name__)
after_leaving: set[Callable[[str], None]] = set()  # called with the name of a websocket when its session cannot be continued any more

FIRST_MESSAGE_SECONDS = 20.0  # seconds within which a browser must send its first message
SILENT_SECONDS = 60.0  # seconds of silence after which a websocket may be closed for a new one
TRY_LATER, FORBIDDEN = 1013, 1008  # close codes of websockets: "try again later", "policy violation"
ALWAYS_ANSWERED = ("/healthz", "/_stcore/health")  # load balancers use the IP address as host
STREAM, NO_UPGRADE = "/_stcore/stream", "no upgrade to a websocket"
PRIVATE = ("/_stcore/metrics", "/_stcore/script-health-check")
UPLOAD = "/_stcore/upload_file/"
CHUNKED = "transfer-encoding"  # header
LEFT_SECONDS = 15.0  # added to the time for which Streamlit keeps a session without a websocket
UPLOAD_SECONDS = 120.0  # seconds within which a file must arrive
UNREAD_SECONDS = 120.0  # seconds after which a file is deleted that no page has read
UNKNOWN_HOST = (
    "This app does not accept this host name. The operator can add it to TOKEN_VIEWER_HOSTS, "
    "or set TOKEN_VIEWER_PUBLIC=1 for a public instance.\n"
)
UPLOADS_TOO_LARGE = "The files of this session, of this address or of all visitors exceed the upload limit. Try again in two minutes.\n"
UPLOAD_ARRIVES = "This file has not arrived yet.\n"
UPLOAD_TOO_SLOW = "This file did not arrive within two minutes.\n"
NO_WEBSOCKET = (
    "This page needs a websocket, and the proxy before this app passes none, so the page stays grey. "
    "The operator can let the proxy pass on the headers Upgrade and Connection.\n"
)
IN_CHUNKS = "A request needs a Content-Length. This app reads no body in chunks.\n"
DISK_FULL = "The disk of this app's machine is full. Try again later, or with a file of at most 1 MB.\n"


@dataclass(slots=True, eq=False)
class Connection:
    """One websocket. name: how a script knows it. address: of the browser, as reported by the server or a trusted proxy.

    of_address: the rate of all websockets from there. runs: its place among the runs. ahead: the next message, received while one waits.
    draws_page: whether the app draws a whole page for it. page, left: the newest page that its browser named, and the one before.
    first_page: its place among the first pages, while it has one.
    """

    address: str
    of_address: RateLimiter | None = None
    name: str = field(default_factory=lambda: token_hex(8))
    own: RateLimiter = field(default_factory=lambda: RateLimiter(RATE, BURST))
    runs: Runner = field(init=False)
    last_message: float = field(default_factory=monotonic)
    has_sent: bool = False
    has_run: bool = False
    draws_page: bool = False
    page: str = ""
    left: str = ""
    first_page: Runner | None = None
    ahead: asyncio.Future[Message] | None = None
    must_close: asyncio.Event = field(default_factory=asyncio.Event)
    loop: asyncio.AbstractEventLoop | None = None

    def __post_init__(self) -> None:
        self.runs = Runner(self.address)


class _UploadTooLarge(Exception):
    """The bytes of a file that arrives exceed the limit."""


def is_open(name: str | None) -> bool:
    """Return whether the websocket of this name is open. None: there is no gate, and every visitor counts as present."""
    return name is None or name in Gate.connections


def join_first_pages(connection: Connection, runner: Runner) -> None:
    """Let a first page wait for its turn, which ends with its websocket. For the event loop."""
    if connection.name in Gate.connections:
        connection.first_page = runner
        QUEUE.join(runner)


def address_of(name: str | None) -> str:
    """Return the network from which this websocket came, "" if it is closed."""
    connection = Gate.connections.get(name or "")
    return "" if connection is None else connection.address


def release_turn(name: str | None) -> None:
    """Let others run while the run of this websocket waits for something else. For the thread of a script."""
    connection = Gate.connections.get(name or "")
    if connection is not None and connection.loop is not None:
        connection.loop.call_soon_threadsafe(QUEUE.finish, connection.runs)


class Gate:
    """ASGI middleware. connections: the open websockets by name. refused: number of refused requests by reason.

    lacks_websockets: whether the latest websocket of a browser came without its Upgrade.
    """

    lacks_websockets: ClassVar[bool] = False
    connections: ClassVar[dict[str, Connection]] = {}
    refused: ClassVar[Counter[str]] = Counter()
    _deleting: ClassVar[set[asyncio.Task[None]]] = set()

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request or websocket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        peer = (scope.get("client") or (None,))[0]
        address = network_address.network_of(peer)
        came = deployment.comes_from(peer, headers)
        added, drop = (
            [(deployment.CAME_FROM_HEADER.encode(), came.encode())],
            {deployment.CAME_FROM_HEADER.encode(), deployment.CONNECTION_HEADER.encode()},
        )
        home = allowed_hosts.page_host(headers.get("origin"), headers.get("host"))
        drop.add(b"origin")
        if home is not None and "origin" in headers:
            # Streamlit accepts this origin at once. For another one it would look up this machine's addresses on the network.
            added.append((b"origin", b"http://localhost"))
        if home is not None and home != headers.get("host"):  # the proxy replaced the Host header of the browser
            drop.add(b"host")
            added.append((b"host", home.encode("latin-1")))
        scope = {**scope, "headers": [pair for pair in scope["headers"] if pair[0].lower() not in drop] + added}
        if CHUNKED in headers:
            send = _closing(send)
        if CHUNKED in headers and scope["type"] == "http" and scope["method"] not in ("GET", "HEAD"):
            await self._refuse(scope, receive, send, 411, "body in chunks", IN_CHUNKS)
        elif not _is_always_answered(scope["path"]) and not allowed_hosts.is_allowed_host(home or headers.get("host")):
            await self._refuse(scope, receive, send, 403, "strange host", UNKNOWN_HOST)
        elif home is None and (scope["type"] == "websocket" or scope["method"] == "POST"):
            await self._refuse(scope, receive, send, 403, "another site", "")
        elif scope["type"] == "websocket":
            await self._serve_websocket(scope, receive, send, peer, address)
        elif scope["path"].endswith(STREAM):  # a proxy has removed the Upgrade
            if home is not None and "origin" in headers and "sec-websocket-key" in headers:  # a browser's page asked, no stranger's command
                log.warning("the proxy does not pass websockets, so pages stay grey", extra={"event": "no websocket"})
                Gate.lacks_websockets = True
            await self._refuse(scope, receive, send, 426, NO_UPGRADE, NO_WEBSOCKET)
        elif scope["path"].rstrip("/").endswith(PRIVATE) and came != deployment.LOCAL:
            await self._refuse(scope, receive, send, 404, "metrics", "Not Found\n")
        elif UPLOAD in scope["path"] and scope["method"] in ("PUT", "DELETE"):
            source = "" if network_address.is_loopback(peer) else address
            await self._upload(scope, receive, _with_security_headers(send), headers, source)
        else:
            await self._app(scope, receive, _with_security_headers(send))

    async def _serve_websocket(self, scope: Scope, receive: Receive, send: Send, peer: str | None, address: str) -> None:
        limits = Limits.from_environment()
        neighbours = [connection for connection in self.connections.values() if connection.address == address]
        from_there = len(neighbours)
        if limits.sockets_per_address and from_there >= limits.sockets_per_address and not network_address.is_loopback(peer):
            await self._refuse(scope, receive, send, 429, "sockets of one address", "")
            return
        if limits.sockets and len(self.connections) >= limits.sockets and not self._close_idlest():
            await self._refuse(scope, receive, send, 503, "sockets", "")
            return
        of_address = neighbours[0].of_address if neighbours else RateLimiter(RATE_PER_ADDRESS, BURST_PER_ADDRESS)
        connection = Connection(address, None if network_address.is_loopback(peer) else of_address)
        connection.loop = asyncio.get_running_loop()
        self.connections[connection.name] = connection
        limit_frames(receive, lambda: self.refused.update(["frames"]))
        scope["headers"].append((deployment.CONNECTION_HEADER.encode(), connection.name.encode()))
        closing = asyncio.create_task(connection.must_close.wait())
        closed_with: int | None = None

        async def receive_checked() -> Message:
            nonlocal closed_with
            message = await self._receive_allowed(connection, receive, closing)
            if message["type"] == "websocket.disconnect" and message.get("code") in (TRY_LATER, FORBIDDEN):
                closed_with = message["code"]
            return message

        async def send_noting(message: Message) -> None:
            if browser_message.ends_run(message.get("bytes") or b""):
                QUEUE.finish(connection.runs)
                connection.draws_page &= not browser_message.ends_page(message.get("bytes") or b"")
            try:
                await send(message)
            except Exception:  # the browser is gone; what it sent before need not be read
                connection.must_close.set()
                raise

        try:
            await self._app(scope, receive_checked, send_noting)
            if closed_with is not None:
                with suppress(Exception):  # the browser may have closed it
                    await send({"type": "websocket.close", "code": closed_with})
        finally:
            if connection.ahead is not None:
                connection.ahead.cancel()
            closing.cancel()  # a run that has begun goes on without its visitor, so it keeps its turn
            del self.connections[connection.name]
            if connection.first_page is not None:  # its turn has no limit, and nobody waits for the page
                QUEUE.leave(connection.first_page)
            connection.loop.call_later(float(st.get_option("server.disconnectedSessionTTL")) + LEFT_SECONDS, _has_left, connection.name)

    async def _receive_allowed(self, connection: Connection, receive: Receive, closing: asyncio.Task[Any]) -> Message:
        """Return the next message that Streamlit may read, delayed if too many come. Returns a disconnect after a forbidden message."""
        while True:
            message = await self._receive(connection, receive, closing)
            if message["type"] != "websocket.receive":
                return message
            data = message.get("bytes") or b""
            rates = filter(None, (connection.own, connection.of_address))
            judged = browser_message.judge(data)
            delay = max(rate.delay(judged.weight) for rate in rates)
            if delay:
                self.refused["messages delayed"] += 1
                await asyncio.wait({closing}, timeout=delay)  # meanwhile the server does not read from this websocket
            if judged.verdict == "pass":
                # A part of a page that is being left is not drawn. Streamlit would draw it after the new page, and the browser would take
                # that for a change of page, and remove what was drawn.
                if connection.draws_page and not judged.of_page and judged.page and judged.page == connection.left:
                    continue
                connection.draws_page |= judged.of_page
                if judged.page not in ("", connection.page):
                    connection.left, connection.page = connection.page, judged.page
                if judged.starts_run and not closing.done():
                    patience = 0.0 if connection.has_run else ARRIVAL
                    connection.has_run = True
                    if not await self._has_turn(connection, receive, closing, patience):
                        continue
                if not closing.done():
                    return message
                continue
            self.refused["forbidden messages"] += 1
            if judged.verdict == "refuse":
                return {"type": "websocket.disconnect", "code": FORBIDDEN}

    async def _has_turn(self, connection: Connection, receive: Receive, closing: asyncio.Task[Any], patience: float) -> bool:
        """Wait for a turn among the runs. Return False if the browser leaves, or its websocket must close, before that."""
        if QUEUE.is_free_for(connection.runs):
            return await QUEUE.start(connection.runs, closing)
        connection.ahead = connection.ahead or asyncio.ensure_future(receive())
        leaving = asyncio.create_task(self._leaving(connection.ahead, closing))
        try:
            return await QUEUE.start(connection.runs, leaving, patience)
        finally:
            leaving.cancel()

    async def _leaving(self, ahead: asyncio.Future[Message], closing: asyncio.Task[Any]) -> None:
        """Return when the next message of the browser says that it left, or when its websocket must close."""
        await asyncio.wait({ahead, closing}, return_when=asyncio.FIRST_COMPLETED)
        if not closing.done() and ahead.exception() is None and ahead.result()["type"] != "websocket.disconnect":
            await asyncio.wait({closing})

    async def _receive(self, connection: Connection, receive: Receive, closing: asyncio.Task[Any]) -> Message:
        """Return the next message of the browser. Returns a disconnect if the websocket must close or sent no first message in time."""
        received = connection.ahead or asyncio.ensure_future(receive())
        connection.ahead = None
        timeout = None if connection.has_sent else max(0.0, FIRST_MESSAGE_SECONDS - (monotonic() - connection.last_message))
        try:
            await asyncio.wait({received, closing}, timeout=timeout, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not received.done():
                received.cancel()
        if not received.done() or received.cancelled():
            self.refused["silent sockets closed"] += not connection.has_sent
            return {"type": "websocket.disconnect", "code": TRY_LATER}
        message = received.result()
        connection.last_message = monotonic()
        if message["type"] == "websocket.receive":
            connection.has_sent, Gate.lacks_websockets = True, False
        return message

    def _close_idlest(self) -> bool:
        """Close the websocket with the longest silence, if it exceeds SILENT_SECONDS. Returns whether one was closed."""
        silent = [connection for connection in self.connections.values() if not connection.must_close.is_set()]
        oldest = min(silent, key=lambda connection: connection.last_message, default=None)
        if oldest is None or monotonic() - oldest.last_message < SILENT_SECONDS:
            return False
        self.refused["silent sockets closed"] += 1
        oldest.must_close.set()
        return True

    async def _upload(self, scope: Scope, receive: Receive, send: Send, headers: dict[str, str], source: str) -> None:
        """Pass on a PUT or DELETE of a file. The files of one session, of one address (`source`) and of all are bounded.

        A body must state its length.
        """
        session, _slash, file = scope["path"].split(UPLOAD, 1)[1].partition("/")
        if scope["method"] == "DELETE":
            if (session, file) in UPLOADS.arriving:  # it would be stored and not counted
                await self._refuse(scope, receive, send, 409, "uploads", UPLOAD_ARRIVES)
            else:
                await self._delete(scope, session, file, receive, send)
            return
        limits, length = Limits.from_environment(), headers.get("content-length", "")
        bounds = UploadBounds(limits.uploads_megabytes * 2**20, limits.all_uploads_megabytes * 2**20)
        if not (length.isdecimal() and len(length) < 15 and UPLOADS.add(session, file, int(length), bounds, source)):
            await self._refuse(scope, receive, send, 413, "uploads", UPLOADS_TOO_LARGE)
            return
        status = 0

        async def noting(message: Message) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        async def counted() -> Message:
            message = await receive()
            if not UPLOADS.grow(session, file, len(message.get("body") or b""), bounds):
                raise _UploadTooLarge
            return message

        try:
            async with asyncio.timeout(UPLOAD_SECONDS):
                await self._app(scope, counted, noting)
        except _UploadTooLarge:  # other files arrived meanwhile
            if not status:
                await self._refuse(scope, receive, send, 413, "uploads", UPLOADS_TOO_LARGE)
        except TimeoutError:
            if not status:
                await self._refuse(scope, receive, send, 408, "slow uploads", UPLOAD_TOO_SLOW)
        except OSError as error:  # Starlette writes a file above 1 MB to the disk
            if status or not is_disk_full(error):
                raise
            await self._refuse(scope, receive, send, 507, "full disk", DISK_FULL)
        finally:
            if 200 <= status < 300:
                self._delete_later(scope, session, file)
            else:
                UPLOADS.remove(session, file)

    def _delete_later(self, scope: Scope, session: str, file: str) -> None:
        """Delete this file once a page has read it, or after UNREAD_SECONDS."""
        loop = asyncio.get_running_loop()
        drop = (b"content-length", b"content-type")
        asked = {**scope, "method": "DELETE", "headers": [pair for pair in scope["headers"] if pair[0].lower() not in drop]}

        async def receive() -> Message:
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message: Message) -> None:
            return

        def delete() -> None:
            timer.cancel()
            self._deleting.add(task := loop.create_task(self._delete(asked, session, file, receive, send)))
            task.add_done_callback(self._deleting.discard)

        timer = loop.call_later(UNREAD_SECONDS, delete)
        UPLOADS.arrived(session, file, lambda: loop.call_soon_threadsafe(delete))

    async def _delete(self, scope: Scope, session: str, file: str, receive: Receive, send: Send) -> None:
        """Pass on the DELETE of a file, and stop counting it if that succeeds."""

        async def deleted(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 300:
                UPLOADS.remove(session, file)
            await send(message)

        await self._app(scope, receive, deleted)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, status: int, why: str, sentence: str) -> None:
        self.refused[why] += 1
        log.info("refused", extra={"event": "refused", "why": why, "path": scope["path"][:100]})
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": FORBIDDEN})
            return
        body = sentence.encode()
        head = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode()), (b"connection", b"close")]
        await _with_security_headers(send)({"type": "http.response.start", "status": status, "headers": head})
        await send({"type": "http.response.body", "body": body})


def _is_always_answered(path: str) -> bool:
    return path.removeprefix(deployment.base_path()) in ALWAYS_ANSWERED


def _has_left(name: str) -> None:
    for call in after_leaving:
        asyncio.get_running_loop().run_in_executor(None, call, name)


def _closing(send: Send) -> Send:
    """Wrap `send` so that the connection ends with the response. The server stops reading then.

    Otherwise it would read all chunks of a body that no route asked for, each for about 4 microseconds in which nobody else is served.
    """

    async def send_closing(message: Message) -> None:
        if message["type"] == "http.response.start":
            message["headers"] = [pair for pair in message.get("headers", ()) if pair[0].lower() != b"connection"] + [
                (b"connection", b"close")
            ]
        await send(message)

    return send_closing


def content_security_policy() -> str:
    """Return the Content-Security-Policy, which forbids the browser to load anything from other sites.

    The unsafe keywords are needed because Vega compiles charts in the browser, and components have inline styles and scripts.
    """
    return (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' blob: data:; connect-src 'self' data: blob:; "
        "worker-src 'self' blob:; frame-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; "
        f"frame-ancestors {deployment.frame_sources()}"
    )


def _with_security_headers(send: Send) -> Send:
    """Wrap `send` so that every response has the security headers."""
    headers: list[tuple[bytes, bytes]] = [
        (b"content-security-policy", content_security_policy().encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
        (b"cross-origin-opener-policy", b"same-origin"),
    ]

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            named = {name for name, _value in headers}
            message["headers"] = [pair for pair in message.get("headers", ()) if pair[0].lower() not in named] + headers
        await send(message)

    return send_with_headers
