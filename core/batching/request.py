"""One request on its way through the server: where it stands, what it wrote, and when."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from core.settings import SamplingSettings
from core.tokens.tokens import ByteJoiner


class RequestState(StrEnum):
    """Where a request stands. PREEMPTED: it had begun, had to give its blocks back, and waits to be computed anew."""

    WAITING = "waiting"
    PREFILLING = "prefilling"
    DECODING = "decoding"
    PREEMPTED = "preempted"
    FINISHED = "finished"


@dataclass(slots=True, eq=False)
class Request:
    """A prompt, the settings it is answered with, and how far the answer has come. Times are seconds on the server's clock.

    prompt_ids: at least one. max_new_tokens: the answer ends there at the latest, and with ignore_eos not before. ids: prompt and answer.
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
    block_hashes: list[bytes] = field(default_factory=list)  # of the full blocks that others may find
    reused_tokens: int = 0
    preemptions: int = 0
    admitted: float | None = None
    token_times: list[float] = field(default_factory=list)
    logits: list[float] = field(default_factory=list)  # the model's own, of the tokens written
    finish_reason: str | None = None
    text: str = ""
    joiner: ByteJoiner = field(default_factory=ByteJoiner)

    def __post_init__(self) -> None:
        self.ids = list(self.prompt_ids)

    @property
    def written_ids(self) -> list[int]:
        """The tokens of the answer."""
        return self.ids[len(self.prompt_ids) :]

    @property
    def pending_tokens(self) -> int:
        """Tokens that are known but not computed: the prompt's at first, then one at a time, all of them after a preemption."""
        return len(self.ids) - self.computed_tokens


class RequestQueue:
    """Requests that wait: first those that are still to arrive, then, in the order of arrival, those that are here."""

    def __init__(self, requests: Iterable[Request] = ()) -> None:
        self._coming = deque(sorted(requests, key=lambda request: (request.arrival, request.request_id)))
        self._waiting: deque[Request] = deque()

    def arrive(self, now: float) -> list[Request]:
        """Let in everybody who has arrived by `now`; those who have just come."""
        fresh = []
        while self._coming and self._coming[0].arrival <= now:
            fresh.append(self._coming.popleft())
        self._waiting.extend(fresh)
        return fresh

    def put_back(self, request: Request) -> None:
        """To the head of the queue: it was here before all others."""
        self._waiting.appendleft(request)

    def pop(self) -> Request:
        """Take the first one out."""
        return self._waiting.popleft()

    @property
    def first(self) -> Request | None:
        """Who is next, if anybody waits."""
        return self._waiting[0] if self._waiting else None

    @property
    def next_arrival(self) -> float | None:
        """When the next one arrives; None if all are here."""
        return self._coming[0].arrival if self._coming else None

    @property
    def waiting(self) -> tuple[Request, ...]:
        """Everybody who is here and waits."""
        return tuple(self._waiting)

    def __len__(self) -> int:
        """How many are here and wait."""
        return len(self._waiting)
