"""A balancer as small as can be: one port, behind it whichever server it is told, and all connections cut when it is told another."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Thread


class Balancer:
    """Connections to `port` go to the port `target` of this machine. passes_websockets: False removes the header Upgrade, as filters do."""

    def __init__(self, target: int) -> None:
        self.target = target
        self.passes_websockets = True
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self.listening.getsockname()[1])
        self.ends: list[socket.socket] = []
        Thread(target=self._accept, daemon=True).start()

    def move(self, target: int) -> None:
        """Everybody lands there from now on, also who was connected already."""
        self.target = target
        self.cut()

    def cut(self) -> None:
        """Drop every connection, as a network does that is gone for a moment."""
        ends, self.ends = self.ends, []
        for end in ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def close(self) -> None:
        """Nobody is let in any more."""
        self.listening.close()
        self.cut()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self.listening.accept()
                try:
                    far = socket.create_connection(("127.0.0.1", self.target))
                except OSError:
                    near.close()
                    continue
                self.ends += [near, far]
                for one, other in ((near, far), (far, near)):
                    Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while said := one.recv(65_536):
                other.sendall(said if self.passes_websockets else said.replace(b"\r\nUpgrade: websocket", b""))
        for end in (one, other):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)


@contextmanager
def balancing(target: int) -> Iterator[Balancer]:
    """A balancer before this port, for as long as it is needed."""
    balancer = Balancer(target)
    try:
        yield balancer
    finally:
        balancer.close()
