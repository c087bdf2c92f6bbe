"""One request to the server: its state, its tokens and their times; and the queue of requests."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from core.sampling.settings import SamplingSettings
from core.tokens.token_text import ByteJoiner


class RequestState(StrEnum):
    """The state of a request. PREEMPTED: its blocks were freed after it had begun, and it waits to be recomputed."""

    WAITING = "waiting"
    PREFILLING = "prefilling"
    DECODING = "decoding"
    PREEMPTED = "preempted"
    FINISHED = "finished"


@dataclass(slots=True, eq=False)
class Request:
    """A prompt, its settings, and its answer so far. Times are seconds on the server's clock.

    prompt_ids: at least one. max_new_tokens: maximum length of the answer; ignore_eos: end tokens do not end it. ids: prompt and answer.
    computed_tokens: how many of them have keys and values in `block_table`. reused_tokens: found in the prefix cache, over all admissions.
    """

    request_id: int
    prompt_ids: tuple[int, ...]
    settings: SamplingSettings
    max_new_tokens: int
    arrival: float = 0.0
    ignore_eos: bool = False
    state: RequestState = RequestState.WAITING
    ids: list[int] = field(init=False)
    computed_tokens: int = 0
    block_table: list[int] = field(default_factory=list)
    block_hashes: list[bytes] = field(default_factory=list)  # of the full blocks that other requests can find
    reused_tokens: int = 0
    preemptions: int = 0
    admitted: float | None = None
    token_times: list[float] = field(default_factory=list)
    logits: list[float] = field(default_factory=list)  # the model's, of the generated tokens
    finish_reason: str | None = None
    text: str = ""
    joiner: ByteJoiner = field(default_factory=ByteJoiner)

    def __post_init__(self) -> None:
        self.ids = list(self.prompt_ids)

    @property
    def written_ids(self) -> list[int]:
        """Return the tokens of the answer."""
        return self.ids[len(self.prompt_ids) :]

    @property
    def pending_tokens(self) -> int:
        """Return how many known tokens are not computed: first the prompt, then one at a time, all of them after a preemption."""
        return len(self.ids) - self.computed_tokens


class RequestQueue:
    """The queue of requests: future requests, and waiting requests in order of arrival."""

    def __init__(self, requests: Iterable[Request] = ()) -> None:
        self._coming = deque(sorted(requests, key=lambda request: (request.arrival, request.request_id)))
        self._waiting: deque[Request] = deque()

    def arrive(self, now: float) -> list[Request]:
        """Move all requests that have arrived by `now` to the waiting ones; return them."""
        fresh = []
        while self._coming and self._coming[0].arrival <= now:
            fresh.append(self._coming.popleft())
        self._waiting.extend(fresh)
        return fresh

    def put_back(self, request: Request) -> None:
        """Put a preempted request first in the queue, because it arrived before all others."""
        self._waiting.appendleft(request)

    def pop(self) -> Request:
        """Remove and return the first waiting request."""
        return self._waiting.popleft()

    @property
    def first(self) -> Request | None:
        """Return the first waiting request, None if no request waits."""
        return self._waiting[0] if self._waiting else None

    @property
    def next_arrival(self) -> float | None:
        """Return the arrival time of the next future request; None if all have arrived."""
        return self._coming[0].arrival if self._coming else None

    @property
    def waiting(self) -> tuple[Request, ...]:
        """Return the waiting requests."""
        return tuple(self._waiting)

    def __len__(self) -> int:
        """Return the number of waiting requests."""
        return len(self._waiting)
