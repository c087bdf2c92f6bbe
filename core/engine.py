"""One forward pass: token ids in, the odds of the next token out, with as much taken from the cache as is still true.

The engine knows nothing about prompts, sampling or runs. Whoever calls it names all tokens; the cache finds out by itself which of them it
already holds. So going on, going back, branching, replaying and "no cache" are one and the same call, the one that an inference server with
prefix caching offers too.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Protocol

import numpy as np
import torch
from transformers.cache_utils import Cache, DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

from core.caches.pool import CachePool
from core.errors import EmptyPrompt, NotEnoughMemory
from core.limits import Limits
from core.listed import Listed
from core.turns import Turns


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
        """The bytes of the tensors that hold these tokens."""


@dataclass(frozen=True, slots=True)
class Distribution:
    """The model's answer: float32 logits [vocabulary], on the model's device. listed: what a server told, where it did not tell all."""

    logits: torch.Tensor
    listed: Listed | None = None

    @property
    def known(self) -> int:
        """How many of the likeliest tokens have logits that are the model's own."""
        return len(self.logits) if self.listed is None else len(self.listed)

    def __contains__(self, token_id: int) -> bool:
        """Whether this token's logit is the model's own."""
        return self.listed is None or token_id in self.listed


class Stopwatch:
    """Seconds of work on a device. On CUDA the clock runs in the device's own stream and is read after the step's one copy to the host."""

    def __init__(self, device: torch.device, already: float = 0.0) -> None:
        self._device = device
        self._events = (torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) if device.type == "cuda" else None
        self._started, self._seconds = perf_counter() - already, 0.0
        if self._events:
            self._events[0].record(torch.cuda.current_stream(device))

    def stop(self) -> None:
        """Mark the end of the work."""
        self._seconds = perf_counter() - self._started
        if self._events:
            self._events[1].record(torch.cuda.current_stream(self._device))

    @property
    def seconds(self) -> float:
        """The time between start and stop, in seconds."""
        if self._events:
            self._events[1].synchronize()
            return self._events[0].elapsed_time(self._events[1]) / 1000
        return self._seconds


@dataclass(frozen=True, slots=True)
class Forward:
    """What one forward pass gave and did. computed_tokens + reused_tokens is the number of tokens asked for."""

    distribution: Distribution
    computed_tokens: int
    reused_tokens: int
    cache_bytes: int
    queue_seconds: float
    stopwatch: Stopwatch
    server_seconds: float | None = None

    @property
    def seconds(self) -> float:
        """Time the pass took, without waiting for its turn."""
        return self.stopwatch.seconds


class KVCache:
    """One visitor's keys and values, and the tokens they belong to."""

    def __init__(self) -> None:
        self._ids = np.empty(64, dtype=np.int64)
        self.length = 0
        self.state: Any | None = None
        self.bytes = 0

    def shared_prefix(self, ids: np.ndarray) -> int:
        """How many of these ids, from the first on, are held."""
        count = min(self.length, len(ids))
        same = self._ids[:count] == ids[:count]
        return count if same.all() else int(same.argmin())

    def keep(self, ids: np.ndarray, start: int) -> None:
        """Note that the cache now holds these ids; those before `start` were there already."""
        if len(ids) > len(self._ids):
            grown = np.empty(max(2 * len(self._ids), len(ids)), dtype=np.int64)
            grown[: self.length] = self._ids[: self.length]
            self._ids = grown
        self._ids[start : len(ids)] = ids[start:]
        self.length = len(ids)

    def clear(self) -> None:
        """Give the memory back. The next pass computes everything again."""
        self.length, self.bytes, self.state = 0, 0, None


class Engine:
    """The one way to run a model. Stateless: everything that lasts is in the cache that the caller brings, or does not bring."""

    def __init__(self, backend: Backend, device: torch.device, vocabulary_size: int, threads: int = 1) -> None:
        self.backend = backend
        self.device = device
        self.vocabulary_size = vocabulary_size
        self.threads = threads
        self.turns = Turns()
        self.pool = CachePool(Limits.from_environment())
        self.passes = 0

    @property
    def away(self) -> bool:
        """Whether the weights were put away; the next pass waits until they are back."""
        return self.turns.fetch is not None

    def forward(self, token_ids: Sequence[int] | np.ndarray, cache: KVCache | None = None) -> Forward:
        """The odds after these tokens (at least one). With a cache, only what it does not hold yet is computed.

        Raises EmptyPrompt for no tokens and NotEnoughMemory if the device is full; the cache is then empty, never wrong.
        """
        ids = np.ascontiguousarray(token_ids, dtype=np.int64)
        if len(ids) == 0:
            raise EmptyPrompt("There is no text to go on from yet. Write a few words first.")
        with self.turns.turn() as waited:
            stopwatch = Stopwatch(self.device)
            try:
                reused, logits = self._run(ids, cache)
            except BaseException as error:
                if cache is not None:  # the pass may have broken off half-way through the layers
                    cache.clear()
                if out_of_memory(error):
                    raise NotEnoughMemory(
                        f"There is not enough memory on {self.device} for {len(ids):,} tokens. "
                        "Go back to an earlier word, or start with a shorter text."
                    ) from error
                raise
            stopwatch.stop()
            self.passes += 1
            held = cache.bytes if cache is not None else 0  # read while nobody else's pass can empty this cache
        return Forward(Distribution(logits), len(ids) - reused, reused, held, waited, stopwatch)

    def look_further(self, token_ids: np.ndarray, forward: Forward, count: int = 0, token_id: int = -1) -> Forward:
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
            cache.bytes = self.backend.bytes(cache.state)
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


def out_of_memory(error: BaseException) -> bool:
    """Whether this is torch's or Python's way of saying that memory is full."""
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or "not enough memory" in str(error).lower()


def send(token_ids: np.ndarray, device: torch.device) -> torch.Tensor:
    """Token ids, int64 [count], on the device.

    To CUDA they go by way of page-locked memory: a copy from any other would first wait until the device has done all work before it.
    """
    ids = torch.from_numpy(token_ids)
    return (ids.pin_memory() if device.type == "cuda" else ids).to(device, non_blocking=True)


class TransformersBackend:
    """Any causal language model of transformers, run as its own `forward` defines it."""

    def __init__(self, network: Any) -> None:
        self._network = network
        self._device = network.get_input_embeddings().weight.device
        accepted = inspect.signature(network.forward).parameters
        self._cache_argument = next((name for name in ("past_key_values", "cache_params") if name in accepted), None)
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in accepted else {}
        self._config = network.config.get_text_config()

    def new_state(self) -> _TransformersState:
        return _TransformersState(DynamicCache(config=self._config))

    def run(self, token_ids: np.ndarray, state: _TransformersState | None) -> torch.Tensor:
        output = self.read(token_ids, None if state is None else state.cache)
        if state is not None and self._cache_argument is not None and getattr(output, self._cache_argument, None) is state.cache:
            state.length += len(token_ids)
        return output.logits[0, -1].float()

    def read(self, token_ids: np.ndarray, cache: Cache | None) -> Any:
        """One pass over int64 ids [new] behind what the cache holds: the network's own output, with the logits of the last token."""
        extra: dict[str, Any] = dict(self._last_only)
        if self._cache_argument is not None:
            extra |= {"use_cache": False} if cache is None else {"use_cache": True, self._cache_argument: cache}
        return self._network(send(token_ids, self._device)[None], **extra)

    def length(self, state: _TransformersState) -> int:
        return state.length

    def extend(self, state: _TransformersState, count: int) -> bool:
        # Recurrent and convolution states are well tested for one token at a time; several behind others are fed from the start instead.
        return count == 1 or all(isinstance(layer, DynamicLayer) and not hasattr(layer, "conv_states") for layer in state.cache.layers)

    def cut(self, state: _TransformersState, length: int) -> bool:
        if not all(_can_be_cut(layer) for layer in state.cache.layers):
            return False
        state.cache.crop(length - state.length)
        state.length = length
        return True

    def bytes(self, state: _TransformersState) -> int:
        return sum(tensor.numel() * tensor.element_size() for layer in state.cache.layers for tensor in _tensors(layer))


@dataclass(slots=True)
class _TransformersState:
    cache: DynamicCache
    length: int = 0


def _can_be_cut(layer: Any) -> bool:
    """Plain keys and values can; a sliding window only until it has begun to slide; states of recurrences and convolutions cannot."""
    if type(layer) is DynamicSlidingWindowLayer:
        return layer.get_seq_length() < layer.sliding_window
    return type(layer) is DynamicLayer


def _tensors(layer: Any) -> list[torch.Tensor]:
    """All tensors that a cache layer holds on to."""
    found: list[torch.Tensor] = []
    for name in ("keys", "values", "conv_states", "recurrent_states"):
        value = getattr(layer, name, None)
        values = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else [value]
        found += [tensor for tensor in values if isinstance(tensor, torch.Tensor)]
    return found
