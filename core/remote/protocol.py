"""The protocol of every kind of inference server: its requests, and the answer to a step as a `ServedStep`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from core.errors import ServerGone, WrongServer
from core.message import Message
from core.remote.http_client import HttpClient


@dataclass(frozen=True, slots=True)
class ServedStep:
    """A server's answer to one step. The list is unchecked; counts and times are plausible.

    ids, logprobs: the listed tokens, in the server's order. asked: how many of the likeliest were asked for; the sampled token can be
    listed in addition. sampled: the token that the server sampled. reused, held: tokens taken from its cache, and in its cache now.
    seconds: by its own clock. None: not reported by the server.
    """

    ids: list[Any]
    logprobs: list[Any]
    asked: int
    sampled: int
    reused: int | None
    held: int
    seconds: float | None = None
    queue_seconds: float = 0.0


def answer_bytes(position: int, count: int) -> int:
    """Return the most bytes of an answer to a step: the ids of the text, and a listed token with its text and its bytes."""
    return 2**18 + 16 * position + 1024 * count


def number(value: Any, most: float = 1e9) -> float | None:
    """Return the value as a float if it is a number from 0 to `most`, else None, because servers can send any value."""
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= most else None


def printable(text: str) -> str:
    """Return a name that a server sent, at most 200 characters, with "?" for what cannot be printed."""
    return "".join(c if c.isprintable() else "?" for c in str(text))[:200]


def other_model(client: HttpClient) -> ServerGone:
    """Return the error for a server at whose address another model was started."""
    return ServerGone("The server at {address} now runs another model. The text is kept.", address=client.address.shown)


def no_token_ids(client: HttpClient) -> WrongServer:
    """Return the error for an answer without token ids or log-probabilities."""
    message = Message(
        "The server at {address} sends no token ids or no log-probabilities, which this app needs.", address=client.address.shown
    )
    return WrongServer(message)


class Server(Protocol):
    """A kind of inference server. limit: how many tokens it lists at most, as far as known."""

    kind: str
    client: HttpClient
    model_id: str
    limit: int

    def tokens(self, text: str) -> list[int] | None:
        """Return the server's token ids of this text, None if it does not report them."""

    def step(self, ids: list[int], count: int, keep: bool = True) -> ServedStep:
        """Return the `count` likeliest tokens after these ids. keep=False: without the server's cache."""

    def look_at(self, ids: list[int], token_id: int, count: int) -> ServedStep:
        """Return the same step with this token listed too."""

    def step_with_other_sampling(self, ids: list[int], count: int) -> ServedStep:
        """Return the same step with other sampling settings, which must not change the listed log-probabilities."""
