"""Attention weights of the last position, per layer and head.

The fast implementations of attention (sdpa, flash) do not return weights. For one pass over one token the network is switched to the eager
implementation and back. The keys and values of earlier tokens still come from the fast one.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch

from core.inspection.layers import Layers


@contextmanager
def capture_attention(layers: Layers) -> Iterator[dict[int, torch.Tensor]]:
    """Collect the attention weights of a pass in the block: layer index -> weights [heads, positions] of the last position.

    Layers without attention (state spaces, convolutions) are missing. The caller must hold the engine's lock, because no other pass may run
    while the network is switched.
    """
    seen: dict[int, torch.Tensor] = {}

    def note(index: int) -> Any:
        def hook(_module: Any, _inputs: Any, output: Any) -> None:
            for part in output if isinstance(output, tuple) else ():
                if isinstance(part, torch.Tensor) and part.dim() == 4 and len(part) == 1 and part.shape[2] and part.is_floating_point():
                    seen[index] = part[0, :, -1].clone()  # a view would keep the weights of all positions

        return hook

    def ask(_module: Any, inputs: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return inputs, named | {"output_attentions": True}

    hooks = [part.register_forward_hook(note(index)) for index, layer in enumerate(layers.modules) for part in layer.modules()]
    hooks.append(layers.model.load_network().register_forward_pre_hook(ask, with_kwargs=True))
    try:
        with _plainly(layers.model.load_network()):
            yield seen
    finally:
        for hook in hooks:
            hook.remove()


@contextmanager
def _plainly(network: Any) -> Iterator[None]:
    """Use eager attention in the block. Architectures with their own attention return weights when asked."""
    usual = network.get_correct_attn_implementation(None)
    if usual == "eager":
        yield
        return
    network.set_attn_implementation("eager")
    try:
        yield
    finally:
        network.set_attn_implementation(usual)


def rows(seen: dict[int, torch.Tensor], layer_count: int, positions: int) -> tuple[np.ndarray | None, ...]:
    """Return float32 [heads, positions] per layer, None for a layer without attention; 0 outside of a sliding window."""
    per_layer: list[np.ndarray | None] = []
    for index in range(layer_count):
        weights = seen.get(index)
        if weights is None or weights.shape[1] > positions:
            per_layer.append(None)
            continue
        row = np.zeros((weights.shape[0], positions), dtype=np.float32)
        row[:, positions - weights.shape[1] :] = weights.float().cpu().numpy()
        per_layer.append(row)
    return tuple(per_layer)
