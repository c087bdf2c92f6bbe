"""Names and numbers of machines: of a Host header, of the loopback, and the network by which a visitor is counted."""

from __future__ import annotations

import ipaddress

_NO_HOST = frozenset("/@?#\\ \t")  # signs that no host has


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
