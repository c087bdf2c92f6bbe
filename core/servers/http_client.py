"""HTTP client of one inference server: JSON, bounded in time and size, to that one address and nowhere else."""

from __future__ import annotations

import ipaddress
import json
import os
import re
import time
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote, urlsplit

import httpx2  # what huggingface_hub brings

from core.errors import ServerGone, WrongServer

LARGEST_ANSWER = 64 * 1024 * 1024  # bytes
PATIENCE = 120.0  # seconds for one answer, however it drips in
PAUSES = (0.3, 1.0)  # seconds before asking again
BUSY = frozenset({429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server is: its URL without credentials, how it is written for people, and the credentials the URL brought, if any."""

    url: str
    shown: str
    credentials: tuple[str, str] | None

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read an address such as "http://10.0.0.7:8000". Raises WrongServer, never quoting credentials."""
        try:
            parts = urlsplit(text.strip())
            port, host = parts.port, (parts.hostname or "").encode("idna").decode()
        except (ValueError, UnicodeError):
            parts, port, host = None, None, ""
        if parts is None or parts.scheme not in ("http", "https") or not re.fullmatch(r"[a-z0-9._:-]+", host):
            raise WrongServer("That is not the address of a server: it looks like http://127.0.0.1:8000.")
        if parts.query or parts.fragment or not re.fullmatch(r"[\w/.~-]*", parts.path, re.ASCII):
            raise WrongServer("The address of a server is a host and a port, such as http://127.0.0.1:8000, with nothing behind them.")
        try:
            if ipaddress.ip_address(host).is_link_local:
                raise WrongServer("That address belongs to the machine's own network card, not to an inference server.")
        except ValueError:
            pass  # a name, not a number
        shown = (f"[{host}]" if ":" in host else host) + ("" if port is None else f":{port}")
        path = parts.path.rstrip("/").removesuffix("/v1").rstrip("/")
        known = (unquote(parts.username or ""), unquote(parts.password or "")) if parts.username or parts.password else None
        return cls(f"{parts.scheme}://{shown}{path}", shown + path, known)

    @property
    def allowed(self) -> bool:
        """Whether the owner of this app lets its visitors go there. TOKEN_VIEWER_SERVERS names the addresses; without it, anywhere."""
        named = os.environ.get("TOKEN_VIEWER_SERVERS")
        return named is None or self.url in {Address.parse(one).url for one in named.split(",") if one.strip()}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back: the status and the JSON object (empty for a refusal that is none)."""

    status: int
    body: dict[str, Any]

    @property
    def complaint(self) -> str:
        """What the server says is wrong, short enough for a page."""
        error = self.body.get("error", self.body.get("message", self.body.get("detail", "")))
        text = error.get("message", "") if isinstance(error, dict) else error
        return "".join(c if c.isprintable() else " " for c in str(text))[:200].strip()


class HttpClient:
    """Asks one server. What is asked can be asked twice with no harm, so a lost connection or a busy server is tried again, twice.

    Raises ServerGone when no usable answer comes, WrongServer when the server refuses the key.
    """

    def __init__(self, address: Address, api_key: str | None = None, patience: float = PATIENCE) -> None:
        if api_key and not (api_key.isascii() and api_key.isprintable()):
            raise WrongServer("That access key holds characters that no key has. Copy it again.")
        if not address.allowed:
            raise WrongServer("This app asks only the servers that its owner named, and that one is not among them.")
        headers = {"Accept-Encoding": "identity", "User-Agent": "token-probability-viewer"}
        if api_key:
            headers["Authorization"] = f"Bearer {api_key}"
        self.address = address
        self.patience = patience
        self._client = httpx2.Client(
            headers=headers,
            auth=None if api_key else address.credentials,
            follow_redirects=False,  # a redirect could carry the key to somebody else
            trust_env=False,
            timeout=httpx2.Timeout(patience, connect=5.0),
        )

    def get(self, path: str, patience: float | None = None) -> Answer:
        """The JSON at this path."""
        return self._json(*self._ask("GET", path, None, patience))

    def post(self, path: str, content: dict[str, Any], patience: float | None = None) -> Answer:
        """The JSON that comes back for this."""
        return self._json(*self._ask("POST", path, content, patience))

    def text(self, path: str, patience: float | None = None) -> str | None:
        """The text at this path, None if there is none."""
        status, body = self._ask("GET", path, None, patience)
        return body.decode("utf-8", "replace") if status == 200 else None

    def _ask(self, method: str, path: str, content: dict[str, Any] | None, patience: float | None) -> tuple[int, bytes]:
        deadline = time.monotonic() + (patience or self.patience)
        cause: Exception | None = None
        for pause in (0.0, *PAUSES):
            time.sleep(pause)
            try:
                status, body = self._once(method, path, content, deadline)
            except (httpx2.ReadTimeout, httpx2.WriteTimeout, TimeoutError) as error:
                raise self.gone("takes too long to answer") from error
            except httpx2.TransportError as error:
                cause = error
            else:
                if status not in BUSY:
                    return status, body
                cause = ServerGone(f"status {status}")
            if time.monotonic() + 1.0 > deadline:
                break
        if isinstance(cause, ServerGone):
            raise self.gone("is busy, still loading its model, or in trouble") from cause
        raise self.gone("does not answer") from cause

    def _once(self, method: str, path: str, content: dict[str, Any] | None, deadline: float) -> tuple[int, bytes]:
        url = self.address.url + path
        left = max(0.1, deadline - time.monotonic())
        with self._client.stream(method, url, json=content, timeout=httpx2.Timeout(left, connect=min(5.0, left))) as response:
            if response.is_redirect:
                raise WrongServer(f"The server at {self.address.shown} sends us elsewhere. Give the address it sends to, if you trust it.")
            if response.status_code in (401, 403):
                raise WrongServer(f"The server at {self.address.shown} asks for a valid access key.")
            if response.headers.get("content-encoding", "identity") != "identity":
                raise self.gone("sends packed answers, which nobody asked for")
            parts, size = [], 0
            for part in response.iter_raw():
                parts.append(part)
                size += len(part)
                if size > LARGEST_ANSWER:
                    raise self.gone(f"sends more than {LARGEST_ANSWER // 2**20} MB")
                if time.monotonic() > deadline:
                    raise TimeoutError
            return response.status_code, b"".join(parts)

    def _json(self, status: int, data: bytes) -> Answer:
        try:
            body = json.loads(data)
        except (ValueError, RecursionError) as error:
            if status >= 400:
                return Answer(status, {})
            html = data.lstrip()[:1] == b"<"
            raise self.gone(
                "answers with a web page, not as an inference server" if html else "answers with something unreadable"
            ) from error
        if not isinstance(body, dict):
            raise self.gone("answers with something that makes no sense")
        return Answer(status, body)

    def gone(self, what: str) -> ServerGone:
        """The error that says what this server does wrong, and that nothing is lost."""
        return ServerGone(f"The server at {self.address.shown} {what}. What was written is kept; try again when it is back.")
