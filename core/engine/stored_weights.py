"""Weights kept as they are stored, in 16 bits, and computed with in float32: half the memory, and the very numbers of the float32 model.

A checkpoint in bfloat16 or float16 that is widened to float32 holds no more than before. So on a CPU the matrices stay as they are, and
each is widened when it is used, which is exact; activations, sums and vectors (norms, biases) are float32. transformers is not imported
here: a first step comes without it.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional

NARROW = (torch.bfloat16, torch.float16)


class StoredLinear(torch.nn.Linear):
    """A linear layer whose weight is widened for each product."""

    is_stored = True

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        return functional.linear(input, self.weight.to(input.dtype), self.bias)


class StoredEmbedding(torch.nn.Embedding):
    """A table whose rows are widened when they are looked up."""

    def forward(self, input: torch.Tensor) -> torch.Tensor:
        rows = functional.embedding(input, self.weight, self.padding_idx).float()
        scale = getattr(self, "scalar_embed_scale", None)
        return rows if scale is None else rows * torch.tensor(scale)


def keep_stored(network: Any) -> bool:
    """Let this network, loaded in 16 bits onto a CPU, compute in float32 with its weights as they are. False where a part is not known.

    Nothing is changed then. Vectors become float32, which takes next to nothing.
    """
    from core.engine.stored_conv1d import Conv1D, StoredConv1D

    found: list[tuple[Any, type]] = []
    covered: set[int] = set()
    for module in network.modules():
        kind = type(module)
        own = list(module.parameters(recurse=False))
        if kind is torch.nn.Linear:
            found.append((module, StoredLinear))
        elif kind is Conv1D:
            found.append((module, StoredConv1D))
        elif kind is torch.nn.Embedding or hasattr(module, "scalar_embed_scale"):
            found.append((module, StoredEmbedding))
        elif any(weight.dim() > 1 for weight in own):
            return False
        covered |= {id(weight) for weight in own}
    if {id(weight) for weight in network.parameters()} != covered:
        return False
    for module, kind in found:
        module.__class__ = kind
    for weight in network.parameters():
        if weight.dim() < 2:
            weight.data = weight.data.float()
    for module in network.modules():
        for name, buffer in module.named_buffers(recurse=False):
            if buffer.dtype in NARROW:
                setattr(module, name, buffer.float())
    network.config.dtype = torch.float32  # of its activations, which is what masks and caches are made for
    return True


def is_stored(network: Any) -> bool:
    """Whether this network computes in float32 with weights that are kept in 16 bits."""
    return any(getattr(type(module), "is_stored", False) for module in network.modules())


def widen(network: Any) -> Any:
    """The same network with all weights in float32, as an ordinary one; for training, and for whoever writes into its weights."""
    from core.engine.stored_conv1d import Conv1D, StoredConv1D

    plain = {StoredLinear: torch.nn.Linear, StoredConv1D: Conv1D, StoredEmbedding: torch.nn.Embedding}
    for module in network.modules():
        if type(module) in plain and not hasattr(module, "scalar_embed_scale"):
            module.__class__ = plain[type(module)]
    return network.float()
