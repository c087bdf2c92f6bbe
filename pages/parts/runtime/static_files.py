"""Streamlit's own scripts, styles and fonts from memory, compressed once.

A browser that was never here asks for more than a hundred files. Streamlit reads each anew for every browser and sends it as it is, 4.5 MB
in all, since it expects a proxy that compresses. Before a laptop in a hall stands none: forty phones would fetch 180 MB over one access
point.
"""

from __future__ import annotations

import asyncio
import gzip
import mimetypes
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from streamlit.file_util import get_static_dir
from streamlit.web.server.starlette.starlette_server_config import STATIC_ASSET_CACHE_MAX_AGE_SECONDS

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

FOLDERS = ("static/js", "static/css", "static/media")  # every name in them holds a checksum of what is in it
WORTH_PACKING = {".js", ".css", ".svg", ".json", ".ttf", ".wasm"}
LEAST = 1000  # bytes; less is not worth packing
LEVEL = 6


@dataclass(frozen=True, slots=True)
class Packed:
    """One file as it is sent."""

    body: bytes
    headers: tuple[tuple[bytes, bytes], ...]


class StaticFiles:
    """ASGI: answers for the files of a folder that every browser needs, and leaves all else to the app behind it."""

    def __init__(self, app: App, folder: Path | None = None) -> None:
        self._app = app
        root = Path(get_static_dir()) if folder is None else folder
        # What is not listed here is no file for us, however a path is spelt.
        self._files = {f"/{place}/{file.name}": file for place in FOLDERS if (root / place).is_dir() for file in (root / place).iterdir()}
        self._packed: dict[str, Packed] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        path, method = scope["path"], scope.get("method")
        file = self._files.get(path)
        asked = {name.lower(): value for name, value in scope["headers"]}
        if file is None or method not in ("GET", "HEAD") or b"range" in asked or not takes_gzip(asked.get(b"accept-encoding", b"")):
            await self._app(scope, receive, send)
            return
        packed = self._packed.get(path)
        if packed is None:  # two who ask at once both pack it; what they keep is the same
            try:
                packed = self._packed[path] = await asyncio.to_thread(_pack, file)
            except OSError:
                await self._app(scope, receive, send)
                return
        await send({"type": "http.response.start", "status": 200, "headers": list(packed.headers)})
        await send({"type": "http.response.body", "body": b"" if method == "HEAD" else packed.body})


def takes_gzip(accepted: bytes) -> bool:
    """Whether a browser says so; one that weighs encodings against each other is left to Streamlit."""
    return b"gzip" in [one.strip() for one in accepted.split(b",")]


def _pack(file: Path) -> Packed:
    body = file.read_bytes()
    kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    headers = [
        (b"content-type", f"{kind}; charset=utf-8".encode() if kind.startswith("text/") else kind.encode()),
        (b"cache-control", f"public,immutable,max-age={STATIC_ASSET_CACHE_MAX_AGE_SECONDS}".encode()),
        (b"vary", b"accept-encoding"),
    ]
    if file.suffix in WORTH_PACKING and len(body) >= LEAST:
        body = gzip.compress(body, LEVEL, mtime=0)
        headers.append((b"content-encoding", b"gzip"))
    return Packed(body, (*headers, (b"content-length", str(len(body)).encode())))
