"""Which Host and Origin headers the app accepts.

TOKEN_VIEWER_HOSTS   host names of the app, with commas; *.example.org means all names below it
"""

from __future__ import annotations

import ipaddress
import os
import socket

import streamlit as st

from pages.ui.server.deployment import public
from pages.ui.server.network_address import host_name, is_loopback


def is_allowed_host(host: str | None) -> bool:
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
