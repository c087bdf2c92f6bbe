"""TCP_NODELAY for the server's sockets, so that responses are sent without delay."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import psutil


@asynccontextmanager
async def nodelay_lifespan(app: object) -> AsyncIterator[None]:
    """ASGI lifespan that disables Nagle's algorithm on the listening sockets. Their connections inherit the option.

    A response is many small messages. asyncio disables the algorithm only for sockets whose protocol is TCP, and Streamlit's sockets
    have protocol 0. With the algorithm a response waits for the browser's acknowledgement, which Linux delays by 40 ms.
    """
    with suppress(OSError, psutil.Error):
        for line in psutil.Process().net_connections("tcp"):
            if line.status == psutil.CONN_LISTEN and line.fd >= 0:
                with socket.socket(fileno=os.dup(line.fd)) as listening:
                    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    yield
