"""What begins with the server: options of its sockets, the first opening of pages, and /healthz, which says when it is ready.

A public instance opens every page once, in every language, before it reports ready; any other instance opens its first page.
The first opening of a page imports its modules, builds and validates its charts, and reads its recorded results. Without this, the first
visitors would do that at once, and all others would wait for up to three seconds.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING

import psutil
from starlette.responses import JSONResponse
from starlette.routing import Route

from pages.ui import features
from pages.ui.i18n import spoken_language
from pages.ui.server import browser_message, deployment, live_page, preload, vote_page
from pages.ui.server.gate import STREAM, App, Gate, Message

if TYPE_CHECKING:
    from starlette.requests import Request

PAGE_SECONDS = 30.0  # seconds for one page; the pages after a slower one are not opened in advance
NEEDS_PROXY = (
    "This public instance can be reached without a proxy. Many connections that send bodies in small chunks would stop it. "
    "Use one of the proxies in deploy/, and let the app listen on 127.0.0.1."
)
SCOPE = {
    "type": "websocket",
    "asgi": {"version": "3.0", "spec_version": "2.4"},
    "http_version": "1.1",
    "scheme": "ws",
    "root_path": "",
    "query_string": b"",
    "client": ("127.0.0.1", 0),
    "server": ("127.0.0.1", 0),
}

log = logging.getLogger(__name__)
_running: set[asyncio.Task[None]] = set()


def is_running() -> bool:
    """Return whether the app is still opening its pages; it reports ready afterwards."""
    return bool(_running)


async def healthz(request: Request) -> JSONResponse:
    """Return {"ready": true} or, with status 503, {"ready": false, "why": ...}, and nothing about visitors. For load balancers.

    With a "warning" if a proxy passed on a browser's request for a websocket without its Upgrade, until a websocket works: pages stay grey.
    """
    if preload.is_loading():
        return JSONResponse({"ready": False, "why": "loading"}, 503)
    if preload.failed():
        return JSONResponse({"ready": False, "why": "the first model could not be loaded"}, 503)
    if is_running():
        return JSONResponse({"ready": False, "why": "opening its pages for the first time"}, 503)
    warning = {"warning": "a page that stays grey: the proxy does not pass websockets"} if Gate.lacks_websockets else {}
    return JSONResponse({"ready": True, **warning}, headers={"cache-control": "no-store"})


ROUTES = [Route("/healthz", healthz), *vote_page.ROUTES, *live_page.ROUTES]


def below_base_path(routes: Sequence[Route]) -> list[Route]:
    """Return the app's own routes below server.baseUrlPath, as Streamlit's are. /healthz stays at the root, too, for load balancers."""
    base = deployment.base_path()
    if not base:
        return list(routes)
    moved = [Route(base + route.path, route.endpoint, methods=list(route.methods or ())) for route in routes]
    return [*moved, Route("/healthz", healthz)]


@asynccontextmanager
async def lifespan(app: App) -> AsyncIterator[None]:
    """ASGI lifespan of the app: sets the sockets' options, and opens pages while it already listens."""
    _send_without_delay()
    if deployment.public() and deployment.listens_beyond():
        log.warning(NEEDS_PROXY, extra={"event": "needs a proxy"})
    task = asyncio.create_task(_after_preload(app))
    _running.add(task)
    task.add_done_callback(_running.discard)
    yield
    for task in list(_running):
        task.cancel()


def _send_without_delay() -> None:
    """Disable Nagle's algorithm on the listening sockets. Their connections inherit the option.

    A response is many small messages. asyncio disables the algorithm only for sockets whose protocol is TCP, and Streamlit's sockets
    have protocol 0. With the algorithm a response waits for the browser's acknowledgement, which Linux delays by 40 ms.
    """
    with suppress(OSError, psutil.Error):
        for line in psutil.Process().net_connections("tcp"):
            if line.status == psutil.CONN_LISTEN and line.fd >= 0:
                with socket.socket(fileno=os.dup(line.fd)) as listening:
                    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


async def _after_preload(app: App) -> None:
    await asyncio.to_thread(preload.wait)
    if preload.failed():
        return
    try:
        if deployment.public():
            await open_pages(app, features.paths(), list(spoken_language.languages()))
        else:
            await open_pages(app, [features.LANDING], [spoken_language.ENGLISH])
    except Exception as error:  # the app works without it
        log.warning("warm-up failed", extra={"event": "warm-up failed", "kind": type(error).__name__})


async def open_pages(app: App, paths: list[str], languages: list[str]) -> None:
    """Open these pages one after another as a browser does, over a websocket of the app itself, once for each language."""
    for code in languages:
        requests = [browser_message.page_request(path, f"lang={code}") for path in paths]
        visit = _Visit(requests)
        headers = [(b"host", b"localhost")]
        path = deployment.base_path() + STREAM
        scope = SCOPE | {"path": path, "raw_path": path.encode(), "headers": headers, "subprotocols": ["streamlit"], "state": {}}
        await app(scope, visit.receive, visit.send)


class _Visit:
    """The browser's side of one websocket: sends the next request when the run for the one before has ended."""

    def __init__(self, requests: list[bytes]) -> None:
        self._requests = iter(requests)
        self._connected = False
        self._ended = asyncio.Event()

    async def receive(self) -> Message:
        """Return the next ASGI message for the app."""
        if not self._connected:
            self._connected = True
            self._ended.set()
            return {"type": "websocket.connect"}
        try:
            async with asyncio.timeout(PAGE_SECONDS):
                await self._ended.wait()
            request = next(self._requests, None)
        except TimeoutError:
            log.warning("slow page", extra={"event": "slow page"})
            request = None
        self._ended.clear()
        return {"type": "websocket.disconnect", "code": 1000} if request is None else {"type": "websocket.receive", "bytes": request}

    async def send(self, message: Message) -> None:
        """Take an ASGI message of the app."""
        if message["type"] == "websocket.close" or browser_message.ends_run(message.get("bytes") or b""):
            self._ended.set()
