"""How many messages may come in a time, and how many frames of a websocket, before the server reads them.

A message reaches the gate only when it is complete, and control frames never do. The server handles all frames of a received block
before it serves anybody else, for about 20 microseconds each. 6 MB of frames with one byte each would therefore stop it for 20 seconds.
ASGI shows no frames and nginx counts none, so the frames are counted at uvicorn's transport: without that, `tests/attack` does not hold.

The header of a frame: https://www.rfc-editor.org/rfc/rfc6455#section-5.2
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic
from typing import Any, cast

from pages.ui.server.browser_message import LARGEST

RATE, BURST = 40.0, 100.0  # messages per second of one websocket, and how many may come at once; Play sends 23
RATE_PER_ADDRESS, BURST_PER_ADDRESS = 600.0, 4000.0  # of all websockets of one address

LONGEST_DELAY = 5.0  # seconds
MOST_ADDRESSES = 10_000  # whose messages are counted
FRAMES, FRAMES_AT_ONCE = 200.0, 1000.0  # per second of one websocket; Play sends 23
SMALL, PER_SMALL_PART = 1024, 10  # bytes; a shorter part of a message, and a control frame, count as so many frames
CONTINUATION, CONTROL, LAST, MASKED = 0, 8, 0x80, 0x80  # bits and kinds in the header


@dataclass(slots=True, eq=False)
class RateLimiter:
    """Messages that may still come at once. It grows by `per_second` up to `burst`; below 0 the next message waits."""

    per_second: float
    burst: float
    left: float = 0.0
    since: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        self.left = self.burst

    def delay(self, messages: float, now: float | None = None) -> float:
        """Count so many messages. Return the seconds until the next one may come. now: the time, if the caller has its own clock."""
        now = monotonic() if now is None else now
        self.left = min(self.burst, self.left + (now - self.since) * self.per_second) - messages
        self.since = now
        return min(LONGEST_DELAY, max(0.0, -self.left / self.per_second))


class AddressRates:
    """Messages that may still come, for each address. The addresses that were silent for longest are forgotten."""

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float] = monotonic) -> None:
        self._per_second, self._burst, self._clock = per_second, burst, clock
        self._rates: OrderedDict[str, RateLimiter] = OrderedDict()

    def is_spent(self, address: str) -> bool:
        """Return whether no message may come from this address now."""
        rate = self._rates.get(address)
        return rate is not None and rate.delay(0.0, self._clock()) > 0

    def count(self, address: str) -> bool:
        """Count a message. Return whether it may come."""
        rate = self._rates.pop(address, None) or RateLimiter(self._per_second, self._burst, since=self._clock())
        self._rates[address] = rate
        if len(self._rates) > MOST_ADDRESSES:
            self._rates.popitem(last=False)
        if rate.delay(0.0, self._clock()) > 0:
            return False
        rate.delay(1.0, self._clock())
        return True


class FrameLimit(asyncio.Protocol):
    """Stands between a connection and its websocket's protocol. Ends the connection if too many frames come, or a message is too large."""

    def __init__(self, transport: asyncio.Transport, inner: asyncio.Protocol, refused: Callable[[], None]) -> None:
        self._transport, self._inner, self._refused = transport, inner, refused
        self._rate = RateLimiter(FRAMES, FRAMES_AT_ONCE)
        self._header = b""  # a header that has not arrived completely
        self._skip = 0  # bytes of the present frame that have not arrived
        self._message = 0  # bytes of the present message
        self._is_over = False

    def data_received(self, data: bytes) -> None:
        """Count the frames and pass the bytes on."""
        if self._is_over:
            return
        self._is_over = not self._allows(data)
        if self._is_over:
            self._refused()
            self._transport.abort()
        else:
            self._inner.data_received(data)

    def connection_lost(self, exc: Exception | None) -> None:
        """Pass it on."""
        self._inner.connection_lost(exc)

    def eof_received(self) -> bool | None:
        """Pass it on."""
        return self._inner.eof_received()

    def pause_writing(self) -> None:
        """Pass it on."""
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        """Pass it on."""
        self._inner.resume_writing()

    def _allows(self, data: bytes) -> bool:
        """Return whether these bytes may be passed on."""
        data, at = self._header + data, 0
        self._header = b""
        while True:
            skipped = min(self._skip, len(data) - at)
            self._skip -= skipped
            at += skipped
            if at == len(data):
                return True
            header = _header_at(data, at)
            if header is None:
                self._header = data[at:]
                return True
            length, self._skip = header
            at += length
            kind = data[at - length] & 0x0F
            is_part = kind >= CONTROL or kind == CONTINUATION or not data[at - length] & LAST
            if kind < CONTROL:
                self._message = self._skip + (self._message if kind == CONTINUATION else 0)
            small = is_part and self._skip < SMALL
            if self._message > LARGEST or self._rate.delay(PER_SMALL_PART if small else 1):
                return False


def _header_at(data: bytes, at: int) -> tuple[int, int] | None:
    """Return the bytes of the frame header that begins here, and of the frame after it; None if the header is not complete."""
    if len(data) - at < 2:
        return None
    second = data[at + 1]
    extra = {126: 2, 127: 8}.get(second & 0x7F, 0)
    length = 2 + extra + (4 if second & MASKED else 0)
    if len(data) - at < length:
        return None
    size = int.from_bytes(data[at + 2 : at + 2 + extra]) if extra else second & 0x7F
    return length, size


def limit_frames(receive: Callable[..., Any], refused: Callable[[], None]) -> bool:
    """Limit the frames of the websocket that this ASGI callable belongs to. refused: called when its connection is ended.

    Returns whether it was possible: a server that is not uvicorn can hand over a callable without a connection.
    """
    transport = getattr(getattr(receive, "__self__", None), "transport", None)
    if not isinstance(transport, asyncio.Transport):
        return False
    inner = transport.get_protocol()
    if not hasattr(inner, "data_received"):
        return False
    transport.set_protocol(FrameLimit(transport, cast(asyncio.Protocol, inner), refused))
    return True
