"""Transformers backend: any causal language model, with transformers' own cache classes."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from transformers.cache_utils import Cache, DynamicCache, DynamicLayer, DynamicSlidingWindowLayer

from core.device import to_device


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
        return self._network(to_device(token_ids, self._device)[None], **extra)

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

    def held_bytes(self, state: _TransformersState) -> int:
        # A tensor that was cut is a view: what lies behind it stays until the next pass makes a new one.
        behind = (tensor.untyped_storage() for layer in state.cache.layers for tensor in _tensors(layer))
        return sum({storage.data_ptr(): storage.nbytes() for storage in behind}.values())


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
