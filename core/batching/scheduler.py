"""The scheduler chooses the requests of the next forward pass, once per iteration, by one of four policies.

It uses no network and no clock. A request needs work while it has known tokens that are not computed. Reading a prompt, generating the next
token and recomputing after a preemption are therefore the same case: compute some more tokens of a request.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from core.batching.block_pool import BLOCK_SIZE, BlockPool, blocks_for, hash_block
from core.batching.request import Request, RequestQueue, RequestState


class Policy(StrEnum):
    """How requests share passes.

    ONE_AT_A_TIME: the next request begins when the one before it has finished. STATIC: a batch begins together, and the next batch begins
    when the longest request has finished. CONTINUOUS: requests join and leave at every iteration, and a prompt is read in one pass (Orca,
    Yu et al. 2022). CHUNKED: the same, but long prompts are read in chunks beside the others' next tokens (Sarathi-Serve, Agrawal et al.
    2024).
    """

    ONE_AT_A_TIME = "one at a time"
    STATIC = "static"
    CONTINUOUS = "continuous"
    CHUNKED = "chunked"


@dataclass(frozen=True, slots=True)
class Work:
    """A request's part of one pass: its tokens [start, start + count) are computed and attend to the blocks in its block table."""

    request: Request
    start: int
    count: int

    @property
    def token_ids(self) -> list[int]:
        """Return the tokens that are computed."""
        return self.request.ids[self.start : self.start + self.count]

    @property
    def block_table(self) -> list[int]:
        """Return the blocks of the request."""
        return self.request.block_table

    @property
    def completes(self) -> bool:
        """Return whether all known tokens are computed after this pass, so that the next one can be sampled."""
        return self.start + self.count == len(self.request.ids)


@dataclass(frozen=True, slots=True)
class Schedule:
    """One iteration. work: the parts of its pass; preempted: requests whose blocks were freed for it."""

    work: tuple[Work, ...]
    preempted: tuple[Request, ...]


class Scheduler:
    """Plans each iteration. max_num_seqs: most requests in a pass; max_num_batched_tokens: most tokens in a pass.

    prefix_caching: whether full blocks with the same prefix are shared. within_pass: whether a request may read blocks that another one
    computes in the same pass; if not, it waits for the next pass.
    """

    def __init__(
        self,
        requests: Iterable[Request],
        pool: BlockPool,
        policy: Policy = Policy.CONTINUOUS,
        max_num_seqs: int = 8,
        max_num_batched_tokens: int = 256,
        prefix_caching: bool = True,
        within_pass: bool = True,
    ) -> None:
        self.queue = RequestQueue(requests)
        self.running: list[Request] = []
        self.pool = pool
        self.policy = policy
        self.max_num_seqs = 1 if policy is Policy.ONE_AT_A_TIME else max_num_seqs
        self.max_num_batched_tokens = max_num_batched_tokens
        self.prefix_caching = prefix_caching
        self.within_pass = within_pass
        self._computing: set[bytes] = set()  # hashes of the blocks that the planned pass fills

    @property
    def done(self) -> bool:
        """Return whether all requests have finished, future ones included."""
        return not self.running and not len(self.queue) and self.queue.next_arrival is None

    def schedule(self) -> Schedule:
        """Return the next pass. It is empty only if no request is running or waiting."""
        self._computing.clear()
        work: list[Work] = []
        preempted: list[Request] = []
        budget = self.max_num_batched_tokens
        joins = self.policy is not Policy.STATIC or not self.running
        # Next tokens first, so that a long prompt gets the remaining budget. Oldest first, so that a preempted request is not planned yet.
        # A prompt got all its blocks at admission and preempts no other request.
        for request in sorted(self.running, key=lambda candidate: candidate.pending_tokens > 1):
            if request not in self.running:
                continue
            count = min(request.pending_tokens, budget)
            if count and self._make_room(request, request.computed_tokens + count, preempted):
                work.append(self._part(request, count))
                budget -= count
        prompts = 0
        while joins and not preempted and len(self.running) < self.max_num_seqs:
            part = self._admit(budget, prompts)
            if part is None:
                break
            work.append(part)
            budget -= part.count
            prompts += 1
        return Schedule(tuple(work), tuple(preempted))

    def _piece(self, pending: int, budget: int, prompts: int) -> int:
        """Return how many tokens of a prompt are read in this pass. Unless CHUNKED, the pass's first prompt may exceed the budget."""
        if self.policy is Policy.CHUNKED:
            return min(pending, max(0, budget))
        return pending if pending <= budget or prompts == 0 or self.policy is Policy.STATIC else 0

    def _admit(self, budget: int, prompts: int) -> Work | None:
        """Admit the first request of the queue if all its tokens fit into free blocks; return its part of the pass, else None."""
        request = self.queue.first
        if request is None:
            return None
        shared, hashes = self.pool.find(request.ids) if self.prefix_caching else ([], [])
        if not self.within_pass and self._being_computed(request):
            return None
        request.computed_tokens = len(shared) * BLOCK_SIZE
        count = self._piece(request.pending_tokens, budget, prompts)
        self.pool.hold(shared)
        needed = self.pool.take(blocks_for(len(request.ids)) - len(shared)) if count else None
        if needed is None:
            self.pool.give_back(shared)
            request.computed_tokens = 0
            return None
        self.queue.pop()
        request.block_table, request.block_hashes = [*shared, *needed], list(hashes)
        request.reused_tokens += request.computed_tokens
        request.state = RequestState.PREFILLING
        self.running.append(request)
        self.running.sort(key=lambda candidate: (candidate.arrival, candidate.request_id))
        return self._part(request, count)

    def _part(self, request: Request, count: int) -> Work:
        part = Work(request, request.computed_tokens, count)
        if self.prefix_caching:
            self._name_blocks(request, part.start + count)
        return part

    def _name_blocks(self, request: Request, computed: int) -> None:
        """Make the blocks that this pass fills findable by other requests."""
        for index in range(len(request.block_hashes), computed // BLOCK_SIZE):
            parent = request.block_hashes[-1] if request.block_hashes else b""
            known_by = hash_block(parent, request.ids[index * BLOCK_SIZE : (index + 1) * BLOCK_SIZE])
            request.block_hashes.append(known_by)
            self.pool.name(request.block_table[index], known_by)
            self._computing.add(known_by)

    def _being_computed(self, request: Request) -> bool:
        """Return whether the planned pass computes a prefix of this request."""
        if not self._computing:
            return False
        _, hashes = self.pool.find(request.ids)
        return any(known_by in self._computing for known_by in hashes)

    def _make_room(self, request: Request, tokens: int, preempted: list[Request]) -> bool:
        """Take blocks for this many tokens of a running request and preempt the youngest while there are too few; return False if the
        request itself was preempted."""
        while True:
            more = self.pool.take(blocks_for(tokens) - len(request.block_table))
            if more is not None:
                request.block_table += more
                return True
            youngest = self.running[-1]
            self._preempt(youngest)
            preempted.append(youngest)
            if youngest is request:
                return False

    def _preempt(self, request: Request) -> None:
        self.running.remove(request)
        self._release(request)
        request.state = RequestState.PREEMPTED
        request.preemptions += 1
        self.queue.put_back(request)

    def finish(self, request: Request, reason: str) -> None:
        """Mark this request as finished and free its blocks."""
        self.running.remove(request)
        self._release(request)
        request.state, request.finish_reason = RequestState.FINISHED, reason

    def _release(self, request: Request) -> None:
        self.pool.give_back(request.block_table)
        request.block_table, request.block_hashes, request.computed_tokens = [], [], 0
