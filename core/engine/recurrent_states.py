"""Sizes of the states that recurrences and convolutions keep, measured on a short pass."""

from __future__ import annotations

import inspect
from typing import Any

import torch
from transformers.cache_utils import DynamicCache


def recurrent_states(network: Any) -> tuple[int, int]:
    """Return the numbers in all recurrent and convolution states, and the multiply-adds of one token in them, outside of matrices.

    A convolution multiplies each number that it keeps once. Mamba (Gu and Dao 2023, arXiv 2312.00752, algorithm 2) takes four per number of
    its state: decay, input, sum and readout. Mamba 2 shares the decay within a head and takes three. The gated delta rule (Yang et al.
    2024, arXiv 2412.06464) takes four: decay, readout of the key, update, readout of the query.
    Returns (0, 0) for a network that does not accept transformers' cache.
    """
    config = network.config.get_text_config()
    accepted = inspect.signature(network.forward).parameters
    name = next((name for name in ("past_key_values", "cache_params") if name in accepted), None)
    if name is None:
        return 0, 0
    cache = DynamicCache(config=config)
    ids = torch.zeros(1, 2, dtype=torch.long, device=network.get_input_embeddings().weight.device)
    try:
        with torch.inference_mode():
            network(ids, use_cache=True, **{name: cache})
    except (TypeError, ValueError, RuntimeError, AttributeError):
        return 0, 0
    numbers = products = 0
    is_delta = getattr(config, "linear_key_head_dim", None) is not None
    for layer in cache.layers:
        for state in _tensors(layer, "conv_states"):
            numbers, products = numbers + state.numel(), products + state.numel()
        for state in _tensors(layer, "recurrent_states"):
            numbers, products = numbers + state.numel(), products + state.numel() * (4 if is_delta or state.dim() == 3 else 3)
    return numbers, products


def _tensors(layer: Any, name: str) -> list[torch.Tensor]:
    return [state for state in (getattr(layer, name, None) or {}).values() if isinstance(state, torch.Tensor)]
