"""An answer of many small messages does not wait for acknowledgements."""

from __future__ import annotations

import asyncio
import socket
from concurrent.futures import ThreadPoolExecutor

from pages.ui.server import tcp_nodelay


def test_who_connects_is_answered_without_delay() -> None:
    async def serve() -> int:
        async with tcp_nodelay.nodelay_lifespan(None):
            with socket.create_connection(listening.getsockname()):
                answering, _ = listening.accept()
                with answering:
                    return answering.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)

    with socket.socket() as listening:  # made as Streamlit makes its own, TCP not named
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        # in a thread of its own: the browser tests' driver keeps an event loop running in this one
        with ThreadPoolExecutor(1) as thread:
            assert thread.submit(asyncio.run, serve()).result()
