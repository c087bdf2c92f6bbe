"""Where phones reach the page of a vote and the live page: their addresses, and their QR codes."""

from __future__ import annotations

import socket
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache
from urllib.parse import urlsplit

import psutil
import segno
import streamlit as st

from pages.ui.i18n.translation import N_
from pages.ui.server import deployment, network_address
from pages.ui.session.state import memory

MOST_ADDRESSES = 4
UNREACHABLE = N_(
    "Phones cannot reach this app, because it listens on this machine only. Start it with: streamlit run app.py --server.address 0.0.0.0"
)
SAME_NETWORK = N_("Phones must be in the same network. Its rules or a firewall can forbid the connection.")


@dataclass(slots=True)
class Reached:
    """Where phones reach the app as this visitor's browser knows it."""

    addresses: list[str] = field(default_factory=list)


def addresses() -> list[str]:
    """Return the addresses of the vote page that phones can try, the likeliest first. [] if the app listens on this machine only."""
    return memory(Reached).addresses


def live_addresses() -> list[str]:
    """Return the same of the live page."""
    return [f"{address.removesuffix('/vote')}/live" for address in addresses()]


def note() -> None:
    """Note the addresses, in a run of the page, which knows its own address."""
    memory(Reached).addresses = _addresses()


def _addresses() -> list[str]:
    url = urlsplit(st.context.url or "")
    if url.hostname and not network_address.is_loopback(url.hostname):
        return [f"{url.scheme}://{url.netloc}{url.path.rpartition('/')[0]}/vote"]
    if not deployment.listens_beyond():
        return []
    port = st.get_option("server.port")
    return [f"http://{number}:{port}{deployment.base_path()}/vote" for number in _own_numbers()]


def _own_numbers() -> list[str]:
    """Return this machine's IPv4 addresses in its networks, that of the default route first."""
    numbers = [
        entry.address
        for entries in psutil.net_if_addrs().values()
        for entry in entries
        if entry.family == socket.AF_INET and not entry.address.startswith(("127.", "169.254."))
    ]
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # chooses the route; UDP sends nothing here
        numbers.sort(key=lambda number: number != probe.getsockname()[0])
    return numbers[:MOST_ADDRESSES]


@lru_cache(maxsize=64)
def code_picture(address: str) -> str:
    """Return the QR code of an address as SVG, black on white in both themes, because many cameras read no other."""
    return str(segno.make(address, error="m").svg_inline(border=3, light="white", omitsize=True))
