"""Inference engine, one forward pass: token ids in, logits out, with prefix reuse from the KV cache; one at a time (`pass_queue.py`).

The engine knows nothing about prompts, sampling or runs. The caller passes all tokens, and the cache finds the prefix that it holds.
Step, back, branch, replay and "no cache" are therefore the same call, as on an inference server with prefix caching.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any, Protocol

import numpy as np
import torch

from core.backends.backend import Backend
from core.device import Speed, Stopwatch, is_out_of_memory, torch_threads
from core.engine.kv_cache.cache_pool import CachePool
from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.pass_queue import FairLock
from core.errors import EmptyPrompt, NoRoom
from core.limits import Limits
from core.sources.source import Forward, Logits


class NetworkChanges(Protocol):
    """Changes to the network during a pass. key: equal keys give equal numbers. backend: runs the network that is changed."""

    key: Hashable
    backend: Any

    def applied(self) -> AbstractContextManager[None]:
        """Return the block in which the network is changed."""


class Engine:
    """Runs a model, one forward pass at a time. Stateless: all that lasts between passes is in the caller's cache."""

    def __init__(self, backend: Backend, device: torch.device, vocabulary_size: int, speed: Speed | None = None) -> None:
        self.backend = backend
        self.device = device
        self.vocabulary_size = vocabulary_size
        self.speed = speed or Speed()
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
        pass, which then runs on transformers' network.
        Raises EmptyPrompt for no tokens and NoRoom if the device is full. After a failed pass the cache is empty.
        """
        ids = np.ascontiguousarray(token_ids, dtype=np.int64)
        if len(ids) == 0:
            raise EmptyPrompt("The text is empty. Write a few words first.")
        with self.lock.acquire() as waited:
            stopwatch = Stopwatch(self.device)
            try:
                reused, logits = self._run(ids, cache, changes)
            except BaseException as error:
                if cache is not None:  # the pass may have stopped half-way through the layers
                    cache.clear()
                if not is_out_of_memory(error):
                    raise
                raise NoRoom(
                    "There is not enough memory on {device} for {count} tokens. Go back to an earlier token or start with a shorter text.",
                    device=self.device,
                    count=len(ids),
                ) from error
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
        reused = 0 if cache is None else cache.cut_to_shared_prefix(ids, backend, None if changes is None else changes.key)
        threads = torch_threads(self.speed.threads_for(len(ids) - reused))
        with threads, torch.inference_mode(), nullcontext() if changes is None else changes.applied():
            if cache is None:
                return 0, backend.run(ids, None)
            if cache.state is None:
                cache.state = backend.new_state()
            cache.length = reused  # the pass overwrites what follows, even if it fails
            logits = backend.run(ids[reused:], cache.state)
            if backend.length(cache.state) != len(ids):  # this architecture keeps nothing that can be reused
                cache.clear()
                return reused, logits
            cache.keep(ids, reused)
            cache.bytes, cache.held_bytes = backend.cache_bytes(cache.state)
            self.pool.use(cache)
            return reused, logits
