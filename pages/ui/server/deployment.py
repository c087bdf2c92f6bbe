"""Whether this instance is public, and where a request comes from. Roles are decided from both.

TOKEN_VIEWER_PUBLIC              1: public; 0: every visitor is the operator; unset: public if the app listens on more than
                                 the loopback address
TOKEN_VIEWER_OPERATOR_PASSWORD   password of the operator, at least twelve characters (operator_password.py)
TOKEN_VIEWER_FRAMES              sites that may show the app in a frame, with commas: https://moodle.example.org
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping

import streamlit as st

from pages.ui.server.network_address import host_name, is_loopback

CAME_FROM_HEADER = "x-token-viewer-from"  # set on every request by the gate, which removes it from the browser's request
CONNECTION_HEADER = "x-token-viewer-connection"  # the same for the name of the websocket
LOCAL, ELSEWHERE = "this-machine", "elsewhere"
# Headers of proxies. A request with one of them does not come from the machine's own user.
FORWARDED = frozenset(
    "forwarded via x-forwarded-for x-forwarded-host x-forwarded-proto x-forwarded-server x-forwarded-port x-real-ip x-client-ip "
    "x-original-host x-envoy-external-address cf-connecting-ip cf-ray true-client-ip fly-client-ip x-amzn-trace-id "
    "x-cloud-trace-context".split()
)


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


def frame_sources(named: Iterable[str] | None = None) -> str:
    """Return the value of frame-ancestors in the Content-Security-Policy. A site is named with https:// or, on a closed network, http://."""
    wanted = os.environ.get("TOKEN_VIEWER_FRAMES", "").split(",") if named is None else named
    plain = [site.strip() for site in wanted]
    sites = [site for site in plain if re.fullmatch(r"https?://[!-~]+", site) and not set(site) & set(";'\"")]
    return " ".join(["'self'", *sites])
