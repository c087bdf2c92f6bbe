"""Transformers backend: any causal language model, with transformers' own cache classes."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from transformers.cache_utils import Cache, DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

from core.backends.cache_bytes import CacheBytes, bytes_of_layers
from core.backends.rotary_lengths import RotaryLengths
from core.backends.speed_trial import choose
from core.device import Speed, is_out_of_memory, to_device

COMPARED = 8  # tokens of the texts that are compared in a batch and alone
_BATCHES: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()  # by network
_AHEAD: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()
_PADS: WeakKeyDictionary[Any, bool] = WeakKeyDictionary()
SAME, ROUGHLY_SAME = 2e-4, 0.05  # largest difference of two probabilities that counts as rounding, in float32 and in 16 bits
NEAR = 0.01  # of two log-probabilities in float32, nats


class TransformersBackend:
    """Runs any causal language model of transformers by its own `forward`.

    cached: False for a model whose cached steps differ from a plain pass; every step then computes the whole text.
    """

    def __init__(self, network: Any, cached: bool = True) -> None:
        self._network = network
        self._cached = cached
        self._device = network.get_input_embeddings().weight.device
        accepted = inspect.signature(network.forward).parameters
        self._cache_argument = cache_argument(network)
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in accepted else {}
        self._takes_positions = "position_ids" in accepted
        self._config = network.config.get_text_config()
        self._rotary = RotaryLengths.of(self._config)

    @classmethod
    def checked(cls, network: Any, token_ids: np.ndarray) -> TransformersBackend:
        """Return a backend that uses its cache only if cached steps over these ids [5 or more] agree with plain passes.

        Raises all errors of the plain passes, and the error of a device without memory.
        """
        backend = cls(network)
        return backend if backend._caches_truly(token_ids) else cls(network, cached=False)

    @property
    def is_cached(self) -> bool:
        """Whether steps use the cache."""
        return self._cached

    def _caches_truly(self, token_ids: np.ndarray) -> bool:
        """Return whether the last four of these tokens, computed one at a time, get the probabilities of plain passes."""
        with torch.inference_mode():
            plain = [self.run(token_ids[:stop], None) for stop in (len(token_ids) - 3, len(token_ids))]
            state, read = self.new_state(), len(token_ids) - 4
            try:
                self.run(token_ids[:read], state)
                steps = [self.run(token_ids[position : position + 1], state) for position in range(read, len(token_ids))]
            except (TypeError, ValueError, RuntimeError, AttributeError, IndexError) as error:
                if is_out_of_memory(error):
                    raise
                return False  # this architecture does not accept the cache
            alike = [self._same(cached, expected) for cached, expected in zip((steps[0], steps[-1]), plain, strict=True)]
        return state.length == len(token_ids) and all(alike)

    def last_logits(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the float32 logits [rows, vocabulary] after texts of equal length, int64 [rows, tokens], without a cache.

        One text after the other if this architecture gives other probabilities in a batch.
        """
        extra = self._last_only | ({} if self._cache_argument is None else {"use_cache": False})
        parts = [rows] if len(rows) == 1 or self.batches_truly() else list(rows.split(1))
        return torch.cat([self._network(part, **extra).logits[:, -1].float() for part in parts])

    def batches_truly(self) -> bool:
        """Return whether two texts in one pass get the probabilities of two passes, which is asked of each network once.

        The caller holds the engine's lock.
        """
        if self._network not in _BATCHES:
            _BATCHES[self._network] = self._compare_a_batch()
        return _BATCHES[self._network]

    def _compare_a_batch(self) -> bool:
        vocabulary = self._network.get_input_embeddings().weight.shape[0]
        row = torch.arange(COMPARED, device=self._device) % vocabulary
        rows = torch.stack([row, row.flip(0)])
        extra = {} if self._cache_argument is None else {"use_cache": False}
        with torch.inference_mode():
            alone = [self._network(part, **extra).logits[0, -1].float() for part in rows.split(1)]
            try:
                together = self._network(rows, **extra).logits[:, -1].float()
            except Exception as error:  # an architecture can raise anything here
                if is_out_of_memory(error):
                    raise
                return False
        return len(together) == 2 and all(map(self._same, together, alone))

    def pads_truly(self) -> bool:
        """Return whether a text padded on the left gets the probabilities of its own pass, without a cache; asked of each network once.

        Some recurrent architectures read the padding as a part of the text. The caller holds the engine's lock.
        """
        if self._network not in _PADS:
            row = torch.arange(COMPARED, device=self._device)[None] % self._network.get_input_embeddings().weight.shape[0]
            mask = torch.cat([torch.zeros_like(row), torch.ones_like(row)], 1)
            extra = {} if self._cache_argument is None else {"use_cache": False}
            more = {"position_ids": (mask.cumsum(1) - 1).clamp(min=0)} if self._takes_positions else {}
            with torch.inference_mode():
                alone = self._network(row, **extra).logits[0, -1].float()
                padded = self._network(torch.cat([row, row], 1), attention_mask=mask, **more, **extra).logits[0, -1].float()
            # A padding that is read changes all probabilities a little, so small ones are compared by their logarithms.
            near = self._network.dtype not in (torch.float32, torch.float64) or bool(
                torch.allclose(alone.log_softmax(0), padded.log_softmax(0), rtol=0, atol=NEAR)
            )
            _PADS[self._network] = near and self._same(alone, padded)
        return _PADS[self._network]

    def caches_padding(self, side: str) -> bool:
        """Return whether a mask keeps padding on this side ("left" or "right") out of the cache: no state, and no window that it fills."""
        kinds = (DynamicLayer, DynamicSlidingWindowLayer) if side == "left" else (DynamicLayer,)
        return all(type(layer) in kinds for layer in self.new_state().cache.layers)

    def looks_ahead(self) -> bool:
        """Return whether the probabilities after a token change with later tokens, which is asked of each network without a cache once.

        A cache that gives the probabilities of plain passes shows that they do not. The caller holds the engine's lock.
        """
        if self._cached:
            return False
        if self._network not in _AHEAD:
            row = torch.arange(COMPARED, device=self._device)[None] % self._network.get_input_embeddings().weight.shape[0]
            extra = {} if self._cache_argument is None else {"use_cache": False}
            with torch.inference_mode():
                longer, shorter = (self._network(text, **extra).logits[0].float() for text in (row, row[:, : COMPARED // 2]))
            _AHEAD[self._network] = not self._same(longer[COMPARED // 2 - 1], shorter[-1])
        return _AHEAD[self._network]

    def _same(self, left: torch.Tensor, right: torch.Tensor) -> bool:
        """Return whether two logits [vocabulary] give the same probabilities, within rounding."""
        bound = SAME if self._network.dtype in (torch.float32, torch.float64) else ROUGHLY_SAME
        return torch.allclose(left.softmax(0), right.softmax(0), rtol=0, atol=bound, equal_nan=True)

    def new_state(self) -> _TransformersState:
        return _TransformersState(DynamicCache(config=self._config))

    def run(self, token_ids: np.ndarray, state: _TransformersState | None) -> torch.Tensor:
        if state is not None and not self._cached:
            state = None
        before = 0 if state is None else state.length
        self._reset_factors(before + len(token_ids))
        output = self.read(token_ids, None if state is None else state.cache, before)
        if state is not None:
            state.factors = self._rotary.factors(before + len(token_ids))
        if state is not None and self._cache_argument is not None and getattr(output, self._cache_argument, None) is state.cache:
            state.length += len(token_ids)
        return output.logits[0, -1].float()

    def _reset_factors(self, length: int) -> None:
        """Reset the factors by a short pass before one beyond the limit: the network keeps those of the longest text since a short one."""
        if self._rotary.each_length and length >= self._rotary.limit:
            self.read(np.zeros(1, dtype=np.int64), None)

    def can_read_in_chunks(self, length: int) -> bool:
        """Return whether a text of this many tokens may be computed in several passes."""
        return self.extend(self.new_state(), 2) and self._rotary.factors(length) == 0

    def read(self, token_ids: np.ndarray, cache: Cache | None, before: int = 0) -> Any:
        """Compute int64 ids [new] after the `before` tokens in the cache; return the network's own output, with the last token's logits."""
        extra: dict[str, Any] = dict(self._last_only)
        if before and self._takes_positions:  # some architectures do not take the position from the cache
            extra["position_ids"] = torch.arange(before, before + len(token_ids), device=self._device)[None]
        if self._cache_argument is not None:
            extra |= {"use_cache": False} if cache is None else {"use_cache": True, self._cache_argument: cache}
        return self._network(to_device(token_ids, self._device)[None], **extra)

    def length(self, state: _TransformersState) -> int:
        return state.length

    def key_counts(self, state: _TransformersState) -> set[int]:
        """Return how many keys the layers hold: all tokens, or those of a window."""
        return {layer.keys.shape[-2] for layer in state.cache.layers if isinstance(getattr(layer, "keys", None), torch.Tensor)}

    def extend(self, state: _TransformersState, count: int) -> bool:
        if not self._cached or self._rotary.factors(state.length + count) != state.factors:
            return False
        # Recurrent and convolution states are well tested only for one token at a time. Several tokens are computed from the start instead.
        return count == 1 or all(isinstance(layer, DynamicLayer) and not hasattr(layer, "conv_states") for layer in state.cache.layers)

    def cut(self, state: _TransformersState, length: int) -> bool:
        if self._rotary.factors(length) != state.factors or not all(_can_be_cut(layer) for layer in state.cache.layers):
            return False
        state.cache.crop(length - state.length)
        state.length = length
        return True

    def cache_bytes(self, state: _TransformersState) -> CacheBytes:
        return bytes_of_layers(state.cache.layers)

    def choose_speed(self, threads: Sequence[int]) -> Speed:
        """Return the fastest of these numbers of threads; see `core.backends.speed_trial`."""
        return choose(self, self._network.get_input_embeddings().weight.shape[0], threads)


def cache_argument(network: Any) -> str | None:
    """Return the name under which this network takes transformers' cache; None if it takes none."""
    accepted = inspect.signature(network.forward).parameters
    return next((name for name in ("past_key_values", "cache_params") if name in accepted), None)


def backend_of(model: Any) -> TransformersBackend:
    """Return the backend that runs transformers' own network of this model."""
    backend = model.engine.backend
    return backend if isinstance(backend, TransformersBackend) else TransformersBackend(model.load_network())


@dataclass(slots=True)
class _TransformersState:
    cache: DynamicCache
    length: int = 0
    factors: int = 0  # of `RotaryLengths`, for the keys held


def _can_be_cut(layer: Any) -> bool:
    """Return whether a cache layer can be cut: plain keys and values, or a sliding window that has not moved yet; no recurrent states."""
    if type(layer) is DynamicSlidingWindowLayer:
        return layer.get_seq_length() < layer.sliding_window
    return type(layer) is DynamicLayer
