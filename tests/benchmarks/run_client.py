"""A live view without a browser: presses and the stream of a run over its routes, on connections that stay open."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from typing import Any

LENGTH = re.compile(r"content-length: (\d+)", re.I)
ACKNOWLEDGE = 8  # steps that are drawn before the view says so


class Connection:
    """One HTTP connection that stays open, as a browser keeps it. headers: of each request. source: its address here."""

    def __init__(self, port: int, source: str = "127.0.0.1", **headers: str) -> None:
        self.port, self.source, self.headers = port, source, headers
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    def request(self, method: str, path: str, body: bytes = b"", then: str = "keep-alive") -> bytes:
        """Return a request as bytes. then: what becomes of the connection after the answer; a stream ends when the server closes it."""
        home = f"127.0.0.1:{self.port}"
        headers = {"Host": home, "Origin": f"http://{home}", "Connection": then, "Content-Length": str(len(body))} | self.headers
        lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in headers.items())]
        return "\r\n".join([*lines, "", ""]).encode() + body

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """Open a connection."""
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=(self.source, 0))

    async def answer(self, request: bytes) -> tuple[str, bytes]:
        """Send a request, and return head and content of the answer.

        It is sent again on a new connection if the server has closed an idle one, as browsers do.
        """
        reader, writer = self.streams or await self.connect()
        writer.write(request)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except (asyncio.IncompleteReadError, ConnectionResetError):
            if self.streams is None:
                raise
            self.close()
            return await self.answer(request)
        self.streams = reader, writer
        length = LENGTH.search(head)
        return head, await reader.readexactly(int(length[1])) if length else b""

    def close(self) -> None:
        """Close the connection."""
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None


class RunClient(Connection):
    """The view of one session. key: of its run. source: this machine's address from which it comes."""

    def __init__(self, port: int, key: str, source: str = "127.0.0.1") -> None:
        super().__init__(port, source, **{"x-run-key": key})
        self.key, self.number = key, 0

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        """Return the answer to a request. Raises ConnectionError if the server refuses it."""
        return await self._read(self.request("POST", path, json.dumps(body).encode()))

    async def address(self) -> str:
        """Return the query of the browser's address for what the run is now."""
        written = await self._read(self.request("GET", "/run/address"))
        return str(written["stored"] or written["query"])

    async def _read(self, request: bytes) -> Any:
        head, content = await self.answer(request)
        if head.split(" ", 2)[1] not in ("200", "204"):
            raise ConnectionError((head.encode() + content)[:200])
        return json.loads(content) if content else None

    async def press(self, verb: str, **more: Any) -> Any:
        """Do a press, and return what the view shows then."""
        self.number += 1
        return await self.post(f"/run/{verb}", {"view": f"visitor-{self.key}", "number": self.number, **more})

    async def events(self) -> AsyncIterator[dict[str, Any]]:
        """Yield what the stream sends, and say what was drawn. Begins with what the view shows now."""
        drawn, version = 0, 0
        async for shown in self.stream("/run/events"):
            if shown["version"] == version:  # the next stream begins with what is known
                continue
            version = shown["version"]
            drawn += bool(shown.get("text", {}).get("tokens"))
            if drawn % ACKNOWLEDGE == 0:
                await self.post("/run/drawn", {"version": version})
            yield shown

    async def stream(self, path: str) -> AsyncIterator[dict[str, Any]]:
        """Yield what a stream sends, and open it again when the server ends it."""
        while True:
            reader, writer = await self.connect()
            try:
                writer.write(self.request("GET", path, then="close"))
                await reader.readuntil(b"\r\n\r\n")
                while line := await reader.readline():
                    if line.startswith(b"data: "):
                        yield json.loads(line[6:])
            finally:
                writer.close()
