"""Whether this instance is open to the world, and from where a request really comes: the facts that roles rest on.

TOKEN_VIEWER_PUBLIC              1: strangers come in, whatever is listened on; 0: everybody who can reach it is trusted;
                                 unset: public wherever the app listens beyond this machine
TOKEN_VIEWER_HOSTS               names under which it may be called, with commas; *.example.org takes all below it
TOKEN_VIEWER_OPERATOR_PASSWORD   makes an operator of whoever types it; at least twelve characters
TOKEN_VIEWER_FRAMES              sites that may show the app in a frame of theirs, with commas
"""

from __future__ import annotations

import hmac
import ipaddress
import logging
import os
import socket
from collections import deque
from collections.abc import Iterable, Mapping
from hashlib import sha256
from threading import Lock
from time import monotonic

import streamlit as st

log = logging.getLogger(__name__)

ORIGIN_HEADER = "x-token-viewer-from"  # put on every request by the gate, and by nobody else
LOCAL, ELSEWHERE = "this-machine", "elsewhere"
# What proxies add. One of them is enough: whoever came through a proxy is not the machine's own user.
FORWARDED = frozenset(
    "forwarded via x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded-server x-forwarded-port x-real-ip x-client-ip "
    "x-original-host x-envoy-external-address cf-connecting-ip cf-ray true-client-ip fly-client-ip x-amzn-trace-id "
    "x-cloud-trace-context".split()
)
LEAST_PASSWORD = 12  # characters
TRIES, TRIES_OF_ALL, WINDOW = 5, 100, 300.0  # wrong passwords from one address and from all together, within so many seconds


def is_loopback(host: str | None) -> bool:
    """Whether this is the machine itself, by number or as localhost."""
    if not host:
        return False
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        number = ipaddress.ip_address(host.strip("[]"))
    except ValueError:
        return False
    mapped = getattr(number, "ipv4_mapped", None)
    return number.is_loopback or (mapped is not None and mapped.is_loopback)


def _declared_public() -> bool | None:
    """What the owner said about it; None if nothing. Anything but a clear no is a yes."""
    said = os.environ.get("TOKEN_VIEWER_PUBLIC", "").strip().lower()
    return None if not said else said not in ("0", "false", "no")


def _listens_beyond() -> bool:
    return not is_loopback(st.get_option("server.address"))


def public() -> bool:
    """Whether strangers are expected: said by the owner or, where they said nothing, wherever the app listens beyond this machine."""
    said = _declared_public()
    return _listens_beyond() if said is None else said


def everyone_is_operator() -> bool:
    """Whether the owner said that whoever can reach the app may do everything."""
    return _declared_public() is False


def is_operator_by_connection(mark: str | None) -> bool:
    """Whether somebody is the operator by where they sit. mark: what the gate wrote on their connection; None where there is no gate.

    A public instance that listens on this machine alone has a proxy before it: then everybody seems to sit here, and nobody counts.
    """
    if everyone_is_operator():
        return True
    if public() and not _listens_beyond():
        return False
    return mark is None or mark == LOCAL


def comes_from(peer: str | None, headers: Mapping[str, str]) -> str:
    """LOCAL for the machine's own user: a loopback peer that calls it by a loopback name, with no sign of a proxy. headers: lower case."""
    direct = is_loopback(peer) and not FORWARDED & headers.keys()
    return LOCAL if direct and is_loopback(host_name(headers.get("host"))) else ELSEWHERE


def host_name(host: str | None) -> str | None:
    """The name of a Host header without its port; None if it is none.

    >>> host_name("localhost:8501"), host_name("[::1]:8501"), host_name("a b"), host_name("x@y")
    ('localhost', '::1', None, None)
    """
    if not host or not host.isascii() or any(c in "/@?#\\ \t" for c in host):
        return None
    if host.startswith("["):
        inner, closed, rest = host[1:].partition("]")
        return inner.lower() if closed and (not rest or (rest[0] == ":" and rest[1:].isdecimal())) else None
    name, colon, port = host.partition(":")
    return (name.lower().rstrip(".") or None) if not colon or port.isdecimal() else None


def may_be_called(host: str | None) -> bool:
    """Whether the app answers to this Host header.

    A page of a stranger can make its own name stand for this machine (DNS rebinding), and would then be let in as its user. So, but for a
    public instance whose owner named no hosts, only names that cannot be turned around are answered: numbers, localhost, the machine's own.
    """
    name = host_name(host)
    if name is None:
        return False
    if is_loopback(name) or is_named(name):
        return True
    if public():
        return not _named_hosts()
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return name == socket.gethostname().lower()
    return True


def _named_hosts() -> list[str]:
    return [one.strip().lower().rstrip(".") for one in os.environ.get("TOKEN_VIEWER_HOSTS", "").split(",") if one.strip()]


def is_named(name: str) -> bool:
    """Whether the owner named this host in TOKEN_VIEWER_HOSTS."""
    return any(name == one or (one.startswith("*.") and name.endswith(one[1:])) for one in _named_hosts())


def page_host(origin: str | None, host: str | None) -> str | None:
    """Under which name and port the page was loaded that sends this request; None if that is another site.

    A proxy may have written its own Host over the one that the browser used. The browser's Origin still tells it, and counts where the
    owner named it (TOKEN_VIEWER_HOSTS, or Streamlit's server.corsAllowedOrigins).
    """
    if origin is None:
        return host or ""
    place = origin.partition("://")[2].rstrip("/")
    name = host_name(place)
    if name is None:
        return None
    if place == host:
        return host
    allowed = {host_name(str(one).partition("://")[2] or str(one)) for one in st.get_option("server.corsAllowedOrigins") or ()}
    return place if name in allowed or is_named(name) else None


class Password:
    """The operator's password: compared in constant time, tried a few times only."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._wrong: deque[tuple[float, str]] = deque(maxlen=10_000)

    @staticmethod
    def is_set() -> bool:
        """Whether there is one that counts."""
        known = os.environ.get("TOKEN_VIEWER_OPERATOR_PASSWORD", "")
        if known and len(known) < LEAST_PASSWORD:
            log.warning("TOKEN_VIEWER_OPERATOR_PASSWORD has fewer than %d characters and is not used", LEAST_PASSWORD)
        return len(known) >= LEAST_PASSWORD

    def opens(self, word: str, address: str | None) -> bool | None:
        """Whether this is the word; None if there were too many wrong ones, from this address or from all, to be told."""
        where, now = address or "", monotonic()
        with self._lock:
            while self._wrong and now - self._wrong[0][0] > WINDOW:
                self._wrong.popleft()
            if len(self._wrong) >= TRIES_OF_ALL or sum(one == where for _when, one in self._wrong) >= TRIES:
                return None
            known = os.environ.get("TOKEN_VIEWER_OPERATOR_PASSWORD", "")
            same = hmac.compare_digest(sha256(word.encode("utf-8", "replace")).digest(), sha256(known.encode("utf-8", "replace")).digest())
            if self.is_set() and same:
                return True
            self._wrong.append((now, where))
            return False


def frame_sources(named: Iterable[str] | None = None) -> str:
    """The sites that may show the app in a frame, as a Content-Security-Policy has them."""
    wanted = os.environ.get("TOKEN_VIEWER_FRAMES", "").split(",") if named is None else named
    plain = [one.strip() for one in wanted]
    return " ".join(["'self'", *(one for one in plain if one.startswith("https://") and one.isascii() and not set(one) & set(" ;,'\""))])
