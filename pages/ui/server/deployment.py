"""Whether this instance is public, and where a request comes from. Roles are decided from both.

TOKEN_VIEWER_PUBLIC              1: public; 0: every visitor is the operator; unset: public if the app listens on more than
                                 the loopback address
TOKEN_VIEWER_HOSTS               host names of the app, with commas; *.example.org means all names below it
TOKEN_VIEWER_OPERATOR_PASSWORD   password of the operator, at least twelve characters (operator_password.py)
TOKEN_VIEWER_FRAMES              sites that may show the app in a frame, with commas: https://moodle.example.org
"""

from __future__ import annotations

import ipaddress
import os
import re
import socket
from collections.abc import Iterable, Mapping

import streamlit as st

CAME_FROM_HEADER = "x-token-viewer-from"  # set on every request by the gate, which removes it from the browser's request
CONNECTION_HEADER = "x-token-viewer-connection"  # the same for the name of the websocket
LOCAL, ELSEWHERE = "this-machine", "elsewhere"
# Headers of proxies. A request with one of them does not come from the machine's own user.
FORWARDED = frozenset(
    "forwarded via x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded-server x-forwarded-port x-real-ip x-client-ip "
    "x-original-host x-envoy-external-address cf-connecting-ip cf-ray true-client-ip fly-client-ip x-amzn-trace-id "
    "x-cloud-trace-context".split()
)


def is_loopback(host: str | None) -> bool:
    """Return whether this is a loopback address or localhost."""
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
    """Return the value of TOKEN_VIEWER_PUBLIC, None if it is not set. All values but 0, false and no mean public."""
    value = os.environ.get("TOKEN_VIEWER_PUBLIC", "").strip().lower()
    return None if not value else value not in ("0", "false", "no")


def listens_beyond() -> bool:
    """Return whether the app listens on more than the loopback address."""
    return not is_loopback(st.get_option("server.address"))


def base_path() -> str:
    """Return the path below which the app is served (server.baseUrlPath), such as "/app", "" for the root."""
    path = str(st.get_option("server.baseUrlPath") or "").strip("/")
    return f"/{path}" if path else ""


def public() -> bool:
    """Return whether this instance is public: as declared, by default if it listens on more than the loopback address."""
    declared = _declared_public()
    return listens_beyond() if declared is None else declared


def everyone_is_operator() -> bool:
    """Return whether every visitor is the operator (TOKEN_VIEWER_PUBLIC=0)."""
    return _declared_public() is False


def is_operator_by_connection(mark: str | None) -> bool:
    """Return whether a visitor is the operator because of their connection. mark: the header set by the gate, None without a gate.

    A public instance on the loopback address is reached through a proxy. Every request then seems local, and the result is False.
    """
    if everyone_is_operator():
        return True
    if public() and not listens_beyond():
        return False
    return mark is None or mark == LOCAL


def comes_from(peer: str | None, headers: Mapping[str, str]) -> str:
    """Return LOCAL for a loopback peer that uses a loopback host name without a proxy, else ELSEWHERE. headers: names in lower case."""
    direct = is_loopback(peer) and not FORWARDED & headers.keys()
    return LOCAL if direct and is_loopback(host_name(headers.get("host"))) else ELSEWHERE


_NO_HOST = frozenset("/@?#\\ \t")  # signs that no host has


def host_name(host: str | None) -> str | None:
    """Return the name of a Host header without its port, None if it is not valid.

    >>> host_name("localhost:8501"), host_name("[::1]:8501"), host_name("a b"), host_name("x@y")
    ('localhost', '::1', None, None)
    """
    if not host or not host.isascii() or not _NO_HOST.isdisjoint(host):
        return None
    if host.startswith("["):
        inner, closed, port = host[1:].partition("]")
        return inner.lower() if closed and (not port or (port[0] == ":" and port[1:].isdecimal())) else None
    name, colon, port = host.partition(":")
    return (name.lower().rstrip(".") or None) if not colon or port.isdecimal() else None


def may_be_called(host: str | None) -> bool:
    """Return whether the app accepts this Host header.

    With DNS rebinding a foreign site can make its own name resolve to this machine and act as its user. Accepted are therefore only IP
    addresses, localhost, the machine's own name and TOKEN_VIEWER_HOSTS. A public instance without TOKEN_VIEWER_HOSTS accepts all names.
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
    return [host.strip().lower().rstrip(".") for host in os.environ.get("TOKEN_VIEWER_HOSTS", "").split(",") if host.strip()]


def is_named(name: str) -> bool:
    """Return whether TOKEN_VIEWER_HOSTS contains this host."""
    return any(name == named_host or (named_host.startswith("*.") and name.endswith(named_host[1:])) for named_host in _named_hosts())


def page_host(origin: str | None, host: str | None) -> str | None:
    """Return host and port of the page that sends this request, None if it is another site.

    A proxy can replace the browser's Host header. Then the Origin header counts, if it is in TOKEN_VIEWER_HOSTS or in Streamlit's
    server.corsAllowedOrigins.
    """
    if origin is None:
        return host or ""
    origin_host = origin.partition("://")[2].rstrip("/")
    name = host_name(origin_host)
    if name is None:
        return None
    if origin_host == host:
        return host
    allowed = {
        host_name(str(allowed_origin).partition("://")[2] or str(allowed_origin))
        for allowed_origin in st.get_option("server.corsAllowedOrigins") or ()
    }
    return origin_host if name in allowed or is_named(name) else None


def network_of(address: str | None) -> str:
    """Return the address by which a visitor is counted: of IPv6 the first 64 bits, because one visitor has all addresses below them.

    >>> network_of("203.0.113.7"), network_of("2001:db8::1:2:3:4"), network_of(None)
    ('203.0.113.7', '2001:db8::/64', '')
    """
    try:
        number = ipaddress.ip_address((address or "").partition("%")[0])
    except ValueError:
        return address or ""
    mapped = getattr(number, "ipv4_mapped", None) or number
    return str(mapped) if mapped.version == 4 else str(ipaddress.ip_network((mapped, 64), strict=False))


def frame_sources(named: Iterable[str] | None = None) -> str:
    """Return the value of frame-ancestors in the Content-Security-Policy. A site is named with https:// or, on a closed network, http://."""
    wanted = os.environ.get("TOKEN_VIEWER_FRAMES", "").split(",") if named is None else named
    plain = [site.strip() for site in wanted]
    sites = [site for site in plain if re.fullmatch(r"https?://[!-~]+", site) and not set(site) & set(";'\"")]
    return " ".join(["'self'", *sites])
