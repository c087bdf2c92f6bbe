"""Transformers backend: any causal language model, with transformers' own cache classes."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from transformers.cache_utils import Cache, DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

from core.backends.rotary_lengths import RotaryLengths
from core.device import to_device

SAME, ROUGHLY_SAME = 2e-4, 0.05  # largest difference of two probabilities that counts as rounding, in float32 and in 16 bits


class TransformersBackend:
    """Any causal language model of transformers, run as its own `forward` defines it.

    cached: False for a model whose cached steps differ from a plain pass; every step then computes the whole text.
    """

    def __init__(self, network: Any, cached: bool = True) -> None:
        self._network = network
        self._cached = cached
        self._device = network.get_input_embeddings().weight.device
        accepted = inspect.signature(network.forward).parameters
        self._cache_argument = next((name for name in ("past_key_values", "cache_params") if name in accepted), None)
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in accepted else {}
        self._takes_positions = "position_ids" in accepted
        self._config = network.config.get_text_config()
        self._rotary = RotaryLengths.of(self._config)

    @classmethod
    def checked(cls, network: Any, token_ids: np.ndarray) -> TransformersBackend:
        """Return a backend that uses its cache only if cached steps over these ids [8 or more] agree with plain passes."""
        backend = cls(network)
        return backend if backend._caches_truly(token_ids) else cls(network, cached=False)

    @property
    def is_cached(self) -> bool:
        """Whether a step goes on from the cache."""
        return self._cached

    def _caches_truly(self, token_ids: np.ndarray) -> bool:
        """Whether the last four of these tokens, one at a time behind the others, give the probabilities of plain passes."""
        with torch.inference_mode():
            plain = [self.run(token_ids[:stop], None) for stop in (len(token_ids) - 3, len(token_ids))]
            state, read = self.new_state(), len(token_ids) - 4
            try:
                self.run(token_ids[:read], state)
                steps = [self.run(token_ids[place : place + 1], state) for place in range(read, len(token_ids))]
            except (TypeError, ValueError, RuntimeError, AttributeError, IndexError, NotImplementedError):
                return False  # this architecture does not take such a cache
        bound = SAME if self._network.dtype in (torch.float32, torch.float64) else ROUGHLY_SAME
        if state.length == 0:
            return False
        pairs = zip((steps[0], steps[-1]), plain, strict=True)
        return all(float((torch.softmax(one, 0) - torch.softmax(other, 0)).abs().max()) <= bound for one, other in pairs)

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
        """Before a pass over a text beyond the limit: the network keeps the factors of the longest text since the last short one."""
        if self._rotary.each_length and length >= self._rotary.limit:
            self.read(np.zeros(1, dtype=np.int64), None)

    def can_read_in_pieces(self, length: int) -> bool:
        """Whether a text of so many tokens may be read in several passes, each behind the one before."""
        return self.extend(self.new_state(), 2) and self._rotary.factors(length) == 0

    def read(self, token_ids: np.ndarray, cache: Cache | None, before: int = 0) -> Any:
        """One pass over int64 ids [new] behind the `before` tokens in the cache: the network's own output, logits of the last token."""
        extra: dict[str, Any] = dict(self._last_only)
        if before and self._takes_positions:  # not every architecture counts on from its cache
            extra["position_ids"] = torch.arange(before, before + len(token_ids), device=self._device)[None]
        if self._cache_argument is not None:
            extra |= {"use_cache": False} if cache is None else {"use_cache": True, self._cache_argument: cache}
        return self._network(to_device(token_ids, self._device)[None], **extra)

    def length(self, state: _TransformersState) -> int:
        return state.length

    def extend(self, state: _TransformersState, count: int) -> bool:
        if not self._cached or self._rotary.factors(state.length + count) != state.factors:
            return False
        # Recurrent and convolution states are well tested for one token at a time; several behind others are fed from the start instead.
        return count == 1 or all(isinstance(layer, DynamicLayer) and not hasattr(layer, "conv_states") for layer in state.cache.layers)

    def cut(self, state: _TransformersState, length: int) -> bool:
        if self._rotary.factors(length) != state.factors or not all(_can_be_cut(layer) for layer in state.cache.layers):
            return False
        state.cache.crop(length - state.length)
        state.length = length
        return True

    def bytes(self, state: _TransformersState) -> int:
        return sum(tensor.numel() * tensor.element_size() for layer in state.cache.layers for tensor in _tensors(layer))

    def held_bytes(self, state: _TransformersState) -> int:
        # A tensor that was cut is a view: what lies behind it stays until the next pass makes a new one.
        behind = (tensor.untyped_storage() for layer in state.cache.layers for tensor in _tensors(layer))
        return sum({storage.data_ptr(): storage.nbytes() for storage in behind}.values())


def backend_of(model: Any) -> TransformersBackend:
    """Return the backend that runs transformers' own network of this model."""
    own = model.engine.backend
    return own if isinstance(own, TransformersBackend) else TransformersBackend(model.load_network())


@dataclass(slots=True)
class _TransformersState:
    cache: DynamicCache
    length: int = 0
    factors: int = 0  # of `RotaryLengths`, with which the keys were rotated


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
