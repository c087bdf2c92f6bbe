"""A small inference server for demonstrations: each call computes one iteration (schedule, one shared pass, sampling) and returns a record.

It works like vLLM, but is not made for production: requests join and leave at every iteration, keys and values are stored in blocks,
prefixes are shared, and requests are preempted and recomputed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import TYPE_CHECKING

import torch

from core.backends.fast_decoder import FastDecoder
from core.batching.batched_compiled import BatchedCompiled, BatchRunner
from core.batching.batched_transformers import BatchedTransformers, refuse_unless_plain
from core.batching.block_pool import BLOCK_SIZE, BlockPool, blocks_for
from core.batching.request import Request, RequestState
from core.batching.scheduler import Policy, Scheduler, Work
from core.checked_number import whole_number
from core.device import Stopwatch, enough_memory, torch_threads
from core.engine.architecture_limits import possible_with
from core.engine.model import LanguageModel
from core.errors import BadSetting, EmptyPrompt, PromptTooLong
from core.message import Message
from core.sampling.observation import History
from core.sampling.observe_stages import pick

if TYPE_CHECKING:
    from core.backends.backend import Backend
    from core.backends.compiled.passes import CompiledBatch

MOST_SEQS = 64
MOST_BATCHED_TOKENS = 8192
MOST_BLOCKS = 4096

LogitsListener = Callable[[Request, torch.Tensor], None]


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The settings of a server. blocks: of 16 tokens, for the keys and values of all requests. Raises BadSetting."""

    policy: Policy = Policy.CONTINUOUS
    max_num_seqs: int = 8
    max_num_batched_tokens: int = 256
    blocks: int = 256
    prefix_caching: bool = True

    def __post_init__(self) -> None:
        if self.policy not in list(Policy):
            raise BadSetting("A policy is one of {names}, not {policy}.", names=", ".join(Policy), policy=repr(str(self.policy)[:40]))
        for name, value, low, high in (
            (Message("The number of slots"), self.max_num_seqs, 1, MOST_SEQS),
            (Message("The number of tokens in a pass"), self.max_num_batched_tokens, self.max_num_seqs, MOST_BATCHED_TOKENS),
            (Message("The number of blocks"), self.blocks, 1, MOST_BLOCKS),
        ):
            whole_number(value, name, low, high)


@dataclass(frozen=True, slots=True)
class RequestProgress:
    """One request in one iteration. tokens: computed in this pass; token_id, text: its new token (-1 and "" if none)."""

    request_id: int
    state: RequestState
    tokens: int
    token_id: int = -1
    text: str = ""


@dataclass(frozen=True, slots=True)
class FinishedRequest:
    """A finished request. Times are seconds on the server's clock; logits: the model's, of each generated token."""

    request_id: int
    arrival: float
    admitted: float
    token_times: tuple[float, ...]
    token_ids: tuple[int, ...]
    logits: tuple[float, ...]
    prompt_tokens: int
    reused_tokens: int
    preemptions: int
    reason: str

    @classmethod
    def of(cls, request: Request) -> FinishedRequest:
        """Return the record of a finished request."""
        return cls(
            request.request_id,
            request.arrival,
            request.arrival if request.admitted is None else request.admitted,
            tuple(request.token_times),
            tuple(request.written_ids),
            tuple(request.logits),
            len(request.prompt_ids),
            request.reused_tokens,
            request.preemptions,
            request.finish_reason or "",
        )

    @property
    def queue_time(self) -> float:
        """Return the seconds from arrival to the request's first pass."""
        return self.admitted - self.arrival

    @property
    def end_to_end_latency(self) -> float:
        """Return the seconds from arrival to the last token."""
        return self.token_times[-1] - self.arrival


@dataclass(frozen=True, slots=True)
class Iteration:
    """The record of one iteration. start, seconds: on the server's clock, which runs only while it works; pass_seconds: of the network.

    progress: all present or just finished requests, by request_id. finished: the just finished ones. slots: most requests in a pass; rows:
    requests in this pass. padded_tokens: see `BatchRunner`. blocks: the request_id that holds each block, -1 free, -2 free with a known
    prefix, -3 shared.
    """

    index: int
    start: float
    seconds: float
    pass_seconds: float
    queue_seconds: float
    progress: tuple[RequestProgress, ...]
    finished: tuple[FinishedRequest, ...]
    preempted: tuple[int, ...]
    slots: int
    rows: int
    tokens: int
    padded_tokens: int
    waiting: int
    blocks: tuple[int, ...]
    used_blocks: int
    saved_blocks: int

    @property
    def stop(self) -> float:
        """Return the end of the iteration on the server's clock, seconds."""
        return self.start + self.seconds

    @property
    def written(self) -> int:
        """Return the number of tokens generated for all requests."""
        return sum(part.token_id >= 0 for part in self.progress)


class Server:
    """Serves these requests with one model. `step` computes one iteration; `done` is True when all requests have finished.

    listener: for tests, receives every request and the float32 logits [vocabulary] of its next token before sampling. compiled: see
    `passes_are_compiled`. Raises EmptyPrompt, PromptTooLong, BadSetting for a request that needs more than all blocks, ModelError for a
    model that cannot be batched, NoRoom.
    """

    def __init__(
        self,
        model: LanguageModel,
        requests: Sequence[Request],
        settings: ServerSettings | None = None,
        listener: LogitsListener | None = None,
        compiled: bool = True,
    ) -> None:
        refuse_unless_plain(model)
        self.model, self.settings = model, settings or ServerSettings()
        self.requests = tuple(requests)
        for request in self.requests:
            self._check(request)
        self.pool = BlockPool(self.settings.blocks)
        self.runner = make_runner(model, self.settings.blocks, compiled)
        chosen = self.settings
        self.scheduler = Scheduler(
            self.requests,
            self.pool,
            chosen.policy,
            chosen.max_num_seqs,
            chosen.max_num_batched_tokens,
            chosen.prefix_caching,
            self.runner.within_pass,
        )
        self.clock = 0.0
        self.iterations = 0
        self._listener = listener

    @property
    def done(self) -> bool:
        """Return whether all requests have finished."""
        return self.scheduler.done

    def step(self) -> Iteration:
        """Compute one iteration and return its record. Call it only while not `done`. Raises NoRoom, BrokenLogits."""
        scheduler = self.scheduler
        if not scheduler.running and not len(scheduler.queue):
            coming = scheduler.queue.next_arrival
            assert coming is not None, "nothing is left to serve"
            self.clock = max(self.clock, coming)
        scheduler.queue.arrive(self.clock)
        start, began = self.clock, perf_counter()
        plan = scheduler.schedule()
        for part in plan.work:
            if part.request.admitted is None:
                part.request.admitted = start
        blocks, used, saved = self._blocks(), self.pool.used, self.pool.shared
        logits, pass_seconds, waited = self._run(plan.work)
        rolled = self._roll(plan.work, logits)
        seconds = perf_counter() - began - waited
        self.clock = start + seconds
        progress, finished = self._write(plan.work, rolled)
        self.iterations += 1
        return Iteration(
            index=self.iterations - 1,
            start=start,
            seconds=seconds,
            pass_seconds=pass_seconds,
            queue_seconds=waited,
            progress=progress,
            finished=finished,
            preempted=tuple(request.request_id for request in plan.preempted),
            slots=scheduler.max_num_seqs,
            rows=len(plan.work),
            tokens=sum(part.count for part in plan.work),
            padded_tokens=self.runner.padded_tokens,
            waiting=len(scheduler.queue),
            blocks=blocks,
            used_blocks=used,
            saved_blocks=saved,
        )

    def _run(self, work: Sequence[Work]) -> tuple[torch.Tensor, float, float]:
        """Compute the shared pass; return logits, its seconds, and the seconds spent waiting for other passes of the engine."""
        engine = self.model.engine
        with engine.lock.acquire() as waited, torch_threads(engine.speed.threads_for(sum(part.count for part in work))):
            stopwatch = Stopwatch(engine.device)
            message = Message("There is not enough memory for so many requests at once. Use fewer requests.")
            with enough_memory(message), possible_with(self.model.name):
                logits = self.runner.run(work)
            stopwatch.stop()
            return logits, stopwatch.seconds, waited

    def _roll(self, work: Sequence[Work], logits: torch.Tensor) -> dict[Request, int]:
        """Sample the next token of every request whose known tokens are all computed."""
        rolled = {}
        for part, row in zip(work, logits, strict=True):
            request = part.request
            request.computed_tokens = part.start + part.count
            if part.completes:
                if self._listener is not None:
                    self._listener(request, row)
                before = History.of(self.model, request.ids, len(request.prompt_ids))
                rolled[request] = chosen = pick(row, request.settings, before)
                request.logits.append(float(row[chosen]))
        return rolled

    def _write(self, work: Sequence[Work], rolled: dict[Request, int]) -> tuple[tuple[RequestProgress, ...], tuple[FinishedRequest, ...]]:
        """Append the sampled tokens, release finished requests, and return the progress of all requests and the finished ones."""
        progress, finished = [], []
        for part in work:
            request, text = part.request, ""
            token_id = rolled.get(request, -1)
            if token_id >= 0:
                request.ids.append(token_id)
                request.token_times.append(self.clock)
                token = self.model.token(token_id)
                text = "" if token.special else request.joiner.add(token.raw)
                request.text += text
            progress.append(RequestProgress(request.request_id, request.state, part.count, token_id, text))
            reason = self._ended(request) if token_id >= 0 else None
            if reason is not None:
                self.scheduler.finish(request, reason)
                finished.append(FinishedRequest.of(request))
            elif token_id >= 0:
                request.state = RequestState.DECODING
        here = {entry.request_id for entry in progress}
        others = [*self.scheduler.running, *self.scheduler.queue.waiting]
        progress += [RequestProgress(other.request_id, other.state, 0) for other in others if other.request_id not in here]
        return tuple(sorted(progress, key=lambda entry: entry.request_id)), tuple(finished)

    def _ended(self, request: Request) -> str | None:
        if request.ids[-1] in self.model.end_token_ids and not request.ignore_eos:
            return "end of text"
        if len(request.ids) >= self.model.context_length:
            return "context full"
        return "length" if len(request.ids) - len(request.prompt_ids) >= request.max_new_tokens else None

    def _blocks(self) -> tuple[int, ...]:
        """Return the holder of each block in the next pass; see `Iteration.blocks`."""
        holders = [-1] * self.pool.count
        for block in self.pool.known_free():
            holders[block] = -2
        for request in self.scheduler.running:
            for block in request.block_table:
                holders[block] = -3 if self.pool.references[block] > 1 else request.request_id
        return tuple(holders)

    def _check(self, request: Request) -> None:
        """Raise EmptyPrompt, PromptTooLong or BadSetting for a request that can never be answered, before anything is computed."""
        if not request.prompt_ids:
            raise EmptyPrompt("A request needs at least one token. Write a few words first.")
        count, context = len(request.prompt_ids), self.model.context_length
        if count >= context:
            raise PromptTooLong(
                "A request has {count} tokens; {model} takes at most {context}. Shorten it.",
                count=count,
                model=self.model.name,
                context=context,
            )
        longest = whole_number(request.max_new_tokens, Message("The length"), 1)
        needed, blocks = blocks_for(min(context, count + longest)), self.settings.blocks
        if needed > blocks:
            raise BadSetting(
                "A request of up to {context} tokens needs {needed} blocks of {block_size} tokens, but there are "
                "only {blocks}. Use more blocks or shorter requests.",
                context=min(context, count + longest),
                needed=needed,
                block_size=BLOCK_SIZE,
                blocks=blocks,
            )


def passes_are_compiled(model: LanguageModel) -> bool:
    """Return whether a server made now would use compiled passes.

    Callers that compare several servers ask once and pass the answer to all, because the compiled code can become ready in between.
    """
    backend = getattr(getattr(model, "engine", None), "backend", None)  # models on a server have none and are refused later
    return _compiled_batch(backend) is not None


def _compiled_batch(backend: Backend | None) -> CompiledBatch | None:
    return backend.compiled_batch() if isinstance(backend, FastDecoder) else None


def make_runner(model: LanguageModel, blocks: int, compiled: bool = True) -> BatchRunner:
    """Return the fastest runner of shared passes for this model, transformers' own if not `compiled`.

    A runner stays what it is when compiled code becomes ready, so that all measured times of a run are comparable. Raises ModelError,
    NoRoom.
    """
    message = Message("There is not enough memory for {blocks} blocks. Use fewer blocks.", blocks=blocks)
    with enough_memory(message), model.engine.lock.acquire():
        batch = _compiled_batch(model.engine.backend) if compiled else None
        return BatchedTransformers(model, blocks) if batch is None else BatchedCompiled(batch, blocks)
