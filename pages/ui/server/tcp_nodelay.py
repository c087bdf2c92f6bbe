"""TCP_NODELAY for the server's sockets: answers leave at once."""

from __future__ import annotations

import os
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import psutil


@asynccontextmanager
async def nodelay_lifespan(app: object) -> AsyncIterator[None]:
    """For the lifespan of the server: whoever connects is answered without Nagle's algorithm.

    An answer is many small messages. asyncio would switch the algorithm off, but only for sockets that name TCP as their protocol, and
    Streamlit's does not: every answer then waits until the browser has acknowledged its first message, which Linux puts off by 40 ms.
    Connections take this over from the socket that listens.
    """
    with suppress(OSError, psutil.Error):
        for line in psutil.Process().net_connections("tcp"):
            if line.status == psutil.CONN_LISTEN and line.fd >= 0:
                with socket.socket(fileno=os.dup(line.fd)) as listening:
                    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    yield
