"""The gate before Streamlit: who may connect, how many from where, what is not public, and what a browser may load.

Everything here is decided before a script runs, on the event loop, from counters alone. A proxy before the app (`deploy/`) keeps off what
never becomes a request: connections that say nothing, headers that drip.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, ClassVar

from core.limits import Limits
from pages.ui.server import deployment
from pages.ui.server.upload_sizes import UploadSizes

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

log = logging.getLogger(__name__)

FIRST_MESSAGE_SECONDS = 20.0  # seconds within which a browser asks for its page
SILENT_SECONDS = 60.0  # seconds after which a socket may have to make room for a newcomer
TRY_LATER = 1013  # the websocket's code for it
ALWAYS_ANSWERED = ("/healthz", "/_stcore/health")  # balancers ask by number
PRIVATE = ("/_stcore/metrics", "/_stcore/script-health-check")
UPLOAD = "/_stcore/upload_file/"
UNKNOWN_HOST = (
    "This app does not answer to that name. Whoever runs it can add it to TOKEN_VIEWER_HOSTS, "
    "or say TOKEN_VIEWER_PUBLIC=1 where strangers come in.\n"
)
UPLOADS_TOO_LARGE = "This visit has handed in as many megabytes as one may. Take back a file, or reload the page.\n"


@dataclass(slots=True, eq=False)
class Connection:
    """One websocket. address: of the browser, as far as a trusted proxy says."""

    address: str
    heard: float = field(default_factory=monotonic)
    spoke: bool = False
    leave: asyncio.Event = field(default_factory=asyncio.Event)


class Gate:
    """ASGI middleware. `lines` are the open websockets, `refused` counts what was turned away, by reason."""

    connections: ClassVar[set[Connection]] = set()
    refused: ClassVar[Counter[str]] = Counter()

    def __init__(self, app: App) -> None:
        self._app, self._uploads = app, UploadSizes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request or websocket."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        peer = (scope.get("client") or (None,))[0]
        came = deployment.comes_from(peer, headers)
        told, drop = [(deployment.ORIGIN_HEADER.encode(), came.encode())], {deployment.ORIGIN_HEADER.encode()}
        home = deployment.page_host(headers.get("origin"), headers.get("host"))
        drop.add(b"origin")
        if home is not None and "origin" in headers:
            # Streamlit accepts this origin at once. For another one it would look up this machine's addresses on the network.
            told.append((b"origin", b"http://localhost"))
        if home is not None and home != headers.get("host"):  # the proxy replaced the Host header of the browser
            drop.add(b"host")
            told.append((b"host", home.encode("latin-1")))
        scope = {**scope, "headers": [pair for pair in scope["headers"] if pair[0].lower() not in drop] + told}
        if scope["path"] not in ALWAYS_ANSWERED and not deployment.may_be_called(home or headers.get("host")):
            await self._refuse(scope, receive, send, 403, "strange host", UNKNOWN_HOST)
        elif scope["type"] == "websocket" and home is None:
            await self._refuse(scope, receive, send, 403, "another site", "")
        elif scope["type"] == "websocket":
            await self._talk(scope, receive, send, str(peer))
        elif scope["path"].rstrip("/").endswith(PRIVATE) and came != deployment.LOCAL:
            await self._refuse(scope, receive, send, 404, "metrics", "Not Found\n")
        elif UPLOAD in scope["path"] and scope["method"] in ("PUT", "DELETE"):
            await self._upload(scope, receive, _with_security_headers(send), headers)
        else:
            await self._app(scope, receive, _with_security_headers(send))

    async def _talk(self, scope: Scope, receive: Receive, send: Send, address: str) -> None:
        limits = Limits.from_environment()
        from_there = sum(connection.address == address for connection in self.connections)
        if limits.sockets_per_address and from_there >= limits.sockets_per_address and not deployment.is_loopback(address):
            await self._refuse(scope, receive, send, 429, "sockets of one address", "")
            return
        if limits.sockets and len(self.connections) >= limits.sockets and not self._make_room():
            await self._refuse(scope, receive, send, 503, "sockets", "")
            return
        connection = Connection(address)
        self.connections.add(connection)
        going = asyncio.create_task(connection.leave.wait())
        gone = False

        async def hear() -> Message:
            nonlocal gone
            message = await self._hear(connection, receive, going)
            gone = message["type"] == "websocket.disconnect" and message.get("code") == TRY_LATER
            return message

        try:
            await self._app(scope, hear, send)
            if gone:
                with suppress(Exception):  # it may have hung up meanwhile
                    await send({"type": "websocket.close", "code": TRY_LATER})
        finally:
            going.cancel()
            self.connections.discard(connection)

    async def _hear(self, connection: Connection, receive: Receive, going: asyncio.Task[Any]) -> Message:
        """What the browser says next. A socket that is asked to leave, or that never says a word, has hung up."""
        said = asyncio.ensure_future(receive())
        patience = None if connection.spoke else max(0.0, FIRST_MESSAGE_SECONDS - (monotonic() - connection.heard))
        try:
            await asyncio.wait({said, going}, timeout=patience, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if not said.done():
                said.cancel()
        if not said.done() or said.cancelled():
            self.refused["silent sockets let go"] += 1
            return {"type": "websocket.disconnect", "code": TRY_LATER}
        message = said.result()
        connection.heard = monotonic()
        connection.spoke |= message["type"] == "websocket.receive"
        return message

    def _make_room(self) -> bool:
        """Let go of the socket that was silent for longest, if one was for a while."""
        silent = [connection for connection in self.connections if not connection.leave.is_set()]
        oldest = min(silent, key=lambda connection: connection.heard, default=None)
        if oldest is None or monotonic() - oldest.heard < SILENT_SECONDS:
            return False
        oldest.leave.set()
        return True

    async def _upload(self, scope: Scope, receive: Receive, send: Send, headers: dict[str, str]) -> None:
        """Pass on a PUT or DELETE of a file. All files of one session together are bounded; a body must state its length."""
        session, _slash, file = scope["path"].split(UPLOAD, 1)[1].partition("/")

        async def deleted(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] < 300:
                self._uploads.remove(session, file)
            await send(message)

        if scope["method"] == "DELETE":
            await self._app(scope, receive, deleted)
            return
        most = Limits.from_environment().uploads_megabytes * 2**20
        length = headers.get("content-length", "")
        if most and not (length.isdecimal() and self._uploads.add(session, file, int(length), most)):
            await self._refuse(scope, receive, send, 413, "uploads", UPLOADS_TOO_LARGE)
            return
        await self._app(scope, receive, send)

    async def _refuse(self, scope: Scope, receive: Receive, send: Send, status: int, why: str, sentence: str) -> None:
        self.refused[why] += 1
        log.info("refused", extra={"event": "refused", "why": why, "path": scope["path"][:100]})
        if scope["type"] == "websocket":
            await receive()
            await send({"type": "websocket.close", "code": 1008})
            return
        body = sentence.encode()
        head = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode()), (b"connection", b"close")]
        await _with_security_headers(send)({"type": "http.response.start", "status": status, "headers": head})
        await send({"type": "http.response.body", "body": body})


def content_security_policy() -> str:
    """The Content-Security-Policy: whatever a stranger's text may spell, a browser loads nothing from anywhere else.

    Charts are compiled in the browser (Vega), and components bring their own styles and scripts: that is what the unsafe words are for.
    """
    return (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; media-src 'self' blob: data:; connect-src 'self' data: blob:; "
        "worker-src 'self' blob:; frame-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; "
        f"frame-ancestors {deployment.frame_sources()}"
    )


def _with_security_headers(send: Send) -> Send:
    """Every answer tells the browser what it may load, and to whom it may say where it was."""
    told: list[tuple[bytes, bytes]] = [
        (b"content-security-policy", content_security_policy().encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"referrer-policy", b"no-referrer"),
        (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=(), usb=()"),
        (b"cross-origin-opener-policy", b"same-origin"),
    ]

    async def dressed(message: Message) -> None:
        if message["type"] == "http.response.start":
            named = {name for name, _value in told}
            message["headers"] = [pair for pair in message.get("headers", ()) if pair[0].lower() not in named] + told
        await send(message)

    return dressed
