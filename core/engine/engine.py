"""Inference engine, one forward pass: token ids in, logits out, with prefix reuse from the KV cache.

The engine knows nothing about prompts, sampling or runs. Whoever calls it names all tokens; the cache finds out by itself which of them it
already holds. So going on, going back, branching, replaying and "no cache" are one and the same call, the one that an inference server with
prefix caching offers too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import torch

from core.device import Stopwatch, is_out_of_memory
from core.engine.fair_lock import FairLock
from core.engine.kv_cache.kv_cache import KVCache
from core.engine.kv_cache.pool import CachePool
from core.errors import EmptyPrompt, NotEnoughMemory
from core.language import _, written
from core.limits import Limits
from core.record.top_logprobs import TopLogprobs


class Backend(Protocol):
    """Runs the network for one visitor at a time. A state holds the keys and values (or whatever the architecture keeps) of a text."""

    def new_state(self) -> Any:
        """The state of an empty text."""

    def run(self, token_ids: np.ndarray, state: Any | None) -> torch.Tensor:
        """Feed int64 ids [new] behind what the state holds; float32 logits [vocabulary] of the last one. None: nothing is kept."""

    def length(self, state: Any) -> int:
        """How many tokens the state holds."""

    def extend(self, state: Any, count: int) -> bool:
        """Whether `count` more tokens can be fed in one pass."""

    def cut(self, state: Any, length: int) -> bool:
        """Forget all but the first `length` tokens; False if this state cannot."""

    def bytes(self, state: Any) -> int:
        """The bytes that these tokens take: of keys and values, or of whatever the architecture keeps."""

    def held_bytes(self, state: Any) -> int:
        """The bytes of the arrays that hold them, with whatever room is set aside for tokens to come."""


@dataclass(frozen=True, slots=True)
class Logits:
    """The model's answer: float32 logits [vocabulary], on the model's device.

    top_logprobs: what a server told, where it did not tell all.
    """

    values: torch.Tensor
    top_logprobs: TopLogprobs | None = None

    @property
    def known(self) -> int:
        """How many of the likeliest tokens have logits that are the model's own."""
        return self.values.numel() if self.top_logprobs is None else len(self.top_logprobs)

    def __contains__(self, token_id: int) -> bool:
        """Whether this token's logit is the model's own."""
        return self.top_logprobs is None or token_id in self.top_logprobs


@dataclass(frozen=True, slots=True)
class Forward:
    """What one forward pass gave and did. computed_tokens + reused_tokens is the number of tokens asked for.

    cache_bytes: what these tokens take in the cache; held_bytes: what its arrays hold, None where they are not on this machine.
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
        """Time the pass took, without waiting for its turn."""
        return self.stopwatch.seconds


class Engine:
    """The one way to run a model. Stateless: everything that lasts is in the cache that the caller brings, or does not bring."""

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
        """Whether the weights were unloaded; the next pass waits until they are back."""
        return self.lock.reload is not None

    def forward(self, token_ids: Sequence[int] | np.ndarray, cache: KVCache | None = None, top_logprobs: int = 0) -> Forward:
        """The odds after these tokens (at least one). With a cache, only what it does not hold yet is computed.

        top_logprobs: how many of the likeliest tokens are needed, for a server that lists no more than it is asked for; here all are there.
        Raises EmptyPrompt for no tokens and NotEnoughMemory if the device is full; the cache is then empty, never wrong.
        """
        ids = np.ascontiguousarray(token_ids, dtype=np.int64)
        if len(ids) == 0:
            raise EmptyPrompt(_("There is no text to go on from yet. Write a few words first."))
        with self.lock.acquire() as waited:
            stopwatch = Stopwatch(self.device)
            try:
                reused, logits = self._run(ids, cache)
            except BaseException as error:
                if cache is not None:  # the pass may have broken off half-way through the layers
                    cache.clear()
                if is_out_of_memory(error):
                    raise NotEnoughMemory(
                        _(
                            "There is not enough memory on {device} for {count} tokens. Go back to an earlier word, or "
                            "start with a shorter text."
                        ).format(device=self.device, count=written(len(ids)))
                    ) from error
                raise
            stopwatch.stop()
            self.passes += 1
            # Read while nobody else's pass can empty this cache.
            used, held = (cache.bytes, cache.held_bytes) if cache is not None else (0, 0)
        return Forward(Logits(logits), len(ids) - reused, reused, used, waited, stopwatch, held_bytes=held)

    def request_more_logprobs(self, token_ids: np.ndarray, forward: Forward, count: int = 0, token_id: int = -1) -> Forward:
        """The same pass with `count` tokens, or this token, listed too. Only a server lists less than everything."""
        return forward

    def _run(self, ids: np.ndarray, cache: KVCache | None) -> tuple[int, torch.Tensor]:
        if torch.get_num_threads() != self.threads:  # torch's setting is the whole process's, and models differ
            torch.set_num_threads(self.threads)
        with torch.inference_mode():
            if cache is None:
                return 0, self.backend.run(ids, None)
            reused = self._make_room(ids, cache)
            if cache.state is None:
                cache.state = self.backend.new_state()
            cache.length = reused  # whatever happens from here on, the tail of the old text is gone
            logits = self.backend.run(ids[reused:], cache.state)
            if self.backend.length(cache.state) != len(ids):  # this architecture keeps nothing we know of
                cache.clear()
                return reused, logits
            cache.keep(ids, reused)
            cache.bytes, cache.held_bytes = self.backend.bytes(cache.state), self.backend.held_bytes(cache.state)
            self.pool.use(cache)
            return reused, logits

    def _make_room(self, ids: np.ndarray, cache: KVCache) -> int:
        """Cut the cache back to the part that is still true, leaving at least one token to compute; start afresh where it cannot be cut."""
        if cache.state is None:
            cache.clear()
            return 0
        shared = min(cache.shared_prefix(ids), len(ids) - 1)
        cut = shared == cache.length or self.backend.cut(cache.state, shared)
        if not cut or shared == 0 or not self.backend.extend(cache.state, len(ids) - shared):
            cache.clear()
            return 0
        return shared
