"""Inference engine, one forward pass: token ids in, logits out, with prefix reuse from the KV cache.

The engine knows nothing about prompts, sampling or runs. The caller passes all tokens, and the cache finds the prefix that it holds.
Step, back, branch, replay and "no cache" are therefore the same call, as on an inference server with prefix caching.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from core.backends.threads import torch_threads
from core.device import Stopwatch
from core.engine.fair_lock import FairLock
from core.engine.kv_cache.kv_cache import KVCache
from core.engine.kv_cache.pool import CachePool
from core.errors import EmptyPrompt
from core.limits import Limits
from core.message import Message
from core.out_of_memory import enough_memory
from core.record.top_logprobs import TopLogprobs


class Backend(Protocol):
    """Runs the network for one visitor at a time. A state holds the keys and values of a text, or what the architecture keeps instead."""

    def new_state(self) -> Any:
        """Return the state of an empty text."""

    def run(self, token_ids: np.ndarray, state: Any | None) -> torch.Tensor:
        """Append int64 ids [new] to the state; return float32 logits [vocabulary] after the last one. With None, nothing is kept."""

    def length(self, state: Any) -> int:
        """Return the number of tokens in the state."""

    def extend(self, state: Any, count: int) -> bool:
        """Return whether `count` more tokens can be computed in one pass."""

    def cut(self, state: Any, length: int) -> bool:
        """Drop all but the first `length` tokens. Return False if the state cannot be cut."""

    def bytes(self, state: Any) -> int:
        """Return the bytes in use: keys and values, or what the architecture keeps instead."""

    def held_bytes(self, state: Any) -> int:
        """Return the bytes of the allocated arrays, including the reserve for later tokens."""


class NetworkChanges(Protocol):
    """Changes to the network during a pass. key: equal keys give equal numbers. backend: runs the network that is changed."""

    key: Hashable
    backend: Any

    def applied(self) -> AbstractContextManager[None]:
        """Return the block in which the network is changed."""


@dataclass(frozen=True, slots=True)
class Logits:
    """float32 logits [vocabulary] on the model's device.

    top_logprobs: the listed tokens of a server that does not send all logits, else None.
    """

    values: torch.Tensor
    top_logprobs: TopLogprobs | None = None

    @property
    def known(self) -> int:
        """How many of the likeliest tokens have logits computed by the model; a server sends only some."""
        return self.values.numel() if self.top_logprobs is None else len(self.top_logprobs)

    def __contains__(self, token_id: int) -> bool:
        """Return whether this token's logit was computed by the model."""
        return self.top_logprobs is None or token_id in self.top_logprobs


@dataclass(frozen=True, slots=True)
class Forward:
    """The result of one forward pass. computed_tokens + reused_tokens is the number of tokens passed in.

    cache_bytes: bytes in use for these tokens; held_bytes: bytes allocated for them, None if the cache is on another machine.
    """

    logits: Logits
    computed_tokens: int
    reused_tokens: int
    cache_bytes: int
    queue_seconds: float
    stopwatch: Stopwatch
    server_seconds: float | None = None
    held_bytes: int | None = None

    @property
    def seconds(self) -> float:
        """Seconds of the pass, without the time in the queue."""
        return self.stopwatch.seconds


class Engine:
    """Runs a model, one forward pass at a time. Stateless: all that lasts between passes is in the caller's cache."""

    def __init__(self, backend: Backend, device: torch.device, vocabulary_size: int, threads: int = 1) -> None:
        self.backend = backend
        self.device = device
        self.vocabulary_size = vocabulary_size
        self.threads = threads
        self.lock = FairLock()
        self.pool = CachePool(Limits.from_environment())
        self.passes = 0

    @property
    def unloaded(self) -> bool:
        """Whether the weights are unloaded. The next pass then waits until they are loaded again."""
        return self.lock.reload is not None

    def forward(
        self,
        token_ids: Sequence[int] | np.ndarray,
        cache: KVCache | None = None,
        top_logprobs: int = 0,
        changes: NetworkChanges | None = None,
    ) -> Forward:
        """Return the logits after these tokens (at least one). With a cache, only tokens that it does not hold are computed.

        top_logprobs: how many of the likeliest tokens a server should list; a local model returns all. changes: to the network in this
        pass, which then runs on transformers' own network.
        Raises EmptyPrompt for no tokens and NotEnoughMemory if the device is full. After a failed pass the cache is empty.
        """
        ids = np.ascontiguousarray(token_ids, dtype=np.int64)
        if len(ids) == 0:
            raise EmptyPrompt("The text is empty. Write a few words first.")
        too_long = Message(
            "There is not enough memory on {device} for {count} tokens. Go back to an earlier token or start with a shorter text.",
            device=self.device,
            count=len(ids),
        )
        with self.lock.acquire() as waited:
            stopwatch = Stopwatch(self.device)
            try:
                with enough_memory(too_long):
                    reused, logits = self._run(ids, cache, changes)
            except BaseException:
                if cache is not None:  # the pass may have stopped half-way through the layers
                    cache.clear()
                raise
            stopwatch.stop()
            self.passes += 1
            # Read inside the lock, before another pass can clear this cache.
            used, held = (cache.bytes, cache.held_bytes) if cache is not None else (0, 0)
        return Forward(Logits(logits), len(ids) - reused, reused, used, waited, stopwatch, held_bytes=held)

    def request_more_logprobs(self, token_ids: np.ndarray, forward: Forward, count: int = 0, token_id: int = -1) -> Forward:
        """Return the result with `count` tokens, or this token, listed too. A local model already lists all tokens."""
        return forward

    def _run(self, ids: np.ndarray, cache: KVCache | None, changes: NetworkChanges | None) -> tuple[int, torch.Tensor]:
        backend = self.backend if changes is None else changes.backend
        with torch_threads(self.threads), torch.inference_mode(), nullcontext() if changes is None else changes.applied():
            if cache is None:
                return 0, backend.run(ids, None)
            reused = cache.cut_to_shared_prefix(ids, backend, None if changes is None else changes.key)
            if cache.state is None:
                cache.state = backend.new_state()
            cache.length = reused  # the pass overwrites what follows, even if it fails
            logits = backend.run(ids[reused:], cache.state)
            if backend.length(cache.state) != len(ids):  # this architecture keeps nothing that can be reused
                cache.clear()
                return reused, logits
            cache.keep(ids, reused)
            cache.bytes, cache.held_bytes = backend.bytes(cache.state), backend.held_bytes(cache.state)
            self.pool.use(cache)
            return reused, logits
