"""How many messages may come in a time."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import monotonic

LONGEST_DELAY = 5.0  # seconds


@dataclass(slots=True, eq=False)
class RateLimiter:
    """Messages that may still come at once. It grows by `per_second` up to `burst`; below 0 the next message waits."""

    per_second: float
    burst: float
    left: float = 0.0
    since: float = field(default_factory=monotonic)

    def __post_init__(self) -> None:
        self.left = self.burst

    def delay(self, messages: float) -> float:
        """Count so many messages. Return the seconds until the next one may come."""
        now = monotonic()
        self.left = min(self.burst, self.left + (now - self.since) * self.per_second) - messages
        self.since = now
        return min(LONGEST_DELAY, max(0.0, -self.left / self.per_second))
