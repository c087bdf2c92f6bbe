"""Server protocol: what every kind of inference server is asked for a step, and the answer as a `ServerStep`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from core.remote.http_client import HttpClient


@dataclass(frozen=True, slots=True)
class ServedStep:
    """What a server says about one step. Its list is unchecked, its counts and times are plausible.

    ids, logprobs: the listed tokens, in the server's order. asked: how many of the likeliest were asked for; what it sampled may come on
    top of them. sampled: the token it would have taken. reused, held: tokens taken from its cache, and in its cache now. seconds: by its
    own clock. None is what it does not say.
    """

    ids: list[Any]
    logprobs: list[Any]
    asked: int
    sampled: int
    reused: int | None
    held: int
    seconds: float | None = None
    queue_seconds: float = 0.0


def number(value: Any, most: float = 1e9) -> float | None:
    """A number that can be a count or a time, None for anything else. Servers answer with whatever they like."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most else None


class Server(Protocol):
    """A kind of inference server. limit: how many tokens it lists at most, as far as is known."""

    kind: str
    line: HttpClient
    limit: int

    def tokens(self, text: str) -> list[int] | None:
        """How the server cuts this text, None if it will not say."""

    def step(self, ids: list[int], count: int, keep: bool = True) -> ServedStep:
        """The likeliest `count` tokens after these ids. keep=False: past any cache."""

    def look_at(self, ids: list[int], token_id: int, count: int) -> ServedStep:
        """The same step with this token listed too."""

    def otherwise(self, ids: list[int], count: int) -> ServedStep:
        """The same step with other dice, which the listed log-probabilities must not follow."""
