"""ASGI apps behind the gate without a browser: tests on an event loop, one request, one websocket, and a real server."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any, ParamSpec

import uvicorn

from tests import protocol

P = ParamSpec("P")


def in_a_loop(test: Callable[P, Coroutine[Any, Any, None]]) -> Callable[P, None]:
    """Run a test in an event loop of its own, in another thread: the browser tests of this process have one in the main thread.

    What the test has begun and not awaited is cancelled at its end.
    """

    @functools.wraps(test)
    def in_thread(*args: P.args, **kwargs: P.kwargs) -> None:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, test(*args, **kwargs)).result()

    return in_thread


async def settled() -> None:
    """Let everything go on that waits for nothing but its turn."""
    for _ in range(20):
        await asyncio.sleep(0)


async def until(condition: Callable[[], object], seconds: float = 20.0) -> None:
    """Wait until this is true, for what another thread or a clock decides. Raises TimeoutError."""
    async with asyncio.timeout(seconds):
        while not condition():
            await asyncio.sleep(0.001)


def scope(kind: str, path: str = "/", peer: str = "127.0.0.1", method: str = "GET", **headers: str) -> dict[str, Any]:
    """Return the scope of a request or of a websocket with these headers. sends: the bytes of a file that is put."""
    told = {"host": "localhost:8501"} | {name.replace("_", "-"): value for name, value in headers.items()}
    listed = [(name.encode(), value.encode()) for name, value in told.items()]
    sends = int(headers.get("content_length", 0)) if method == "PUT" and len(headers.get("content_length", "")) < 10 else 0
    return {"type": kind, "path": path, "method": method, "client": (peer, 1), "headers": listed, "sends": sends}


async def answer(app: Any, asked: dict[str, Any]) -> tuple[int, dict[str, str], bytes]:
    """Send a request to an app. Return the status, the headers and the body of the answer."""
    heard: list[dict[str, Any]] = []

    async def hear(message: Any) -> None:
        heard.append(message)

    says: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
    says.put_nowait({"type": "http.request", "body": b"a" * asked.get("sends", 0), "more_body": False})
    await app(asked, says.get, hear)
    head = {name.decode(): value.decode() for name, value in heard[0]["headers"]}
    return heard[0]["status"], head, b"".join(message.get("body", b"") for message in heard[1:])


class Browser:
    """One websocket from the outside."""

    def __init__(self, app: Any, peer: str = "127.0.0.1", **headers: str) -> None:
        self.says: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.hears: list[dict[str, Any]] = []
        self.says.put_nowait({"type": "websocket.connect"})
        self.task = asyncio.ensure_future(app(scope("websocket", "/_stcore/stream", peer, **headers), self.says.get, self.hear))

    async def hear(self, message: Any) -> None:
        self.hears.append(message)

    def say(self, data: bytes = protocol.rerun()) -> None:
        self.says.put_nowait({"type": "websocket.receive", "bytes": data})

    def leave(self) -> None:
        """Close the websocket, as a browser does with its page."""
        self.says.put_nowait({"type": "websocket.disconnect", "code": 1001})

    @property
    def refused(self) -> bool:
        return any(message["type"] == "websocket.close" for message in self.hears)


@contextmanager
def served(app: Any, **options: Any) -> Iterator[str]:
    """Serve an app on this machine, and yield its host and port: 127.0.0.1:8000."""
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_level="critical", lifespan="off", **options)
    server = uvicorn.Server(config)
    thread = Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            Event().wait(0.01)
        yield f"127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
