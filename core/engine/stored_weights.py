"""Weights that stay in 16 bits and are computed with in float32: half the memory, same numbers as the float32 model.

On a CPU, the matrices of a bfloat16 or float16 checkpoint stay in 16 bits. The modules of this file replace the network's linear layers
and tables. They widen a weight to float32 at each use, which is exact. Activations, sums and vectors (norms, biases) are float32.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.nn import functional
from transformers.pytorch_utils import Conv1D

NARROW = (torch.bfloat16, torch.float16)


class StoredModule(torch.nn.Module):
    """A module that replaces another one (`replaced()`) and shares its Parameter objects, so that tied weights stay tied."""

    def __init__(self, plain: torch.nn.Module) -> None:
        super().__init__()
        for name, weight in plain.named_parameters(recurse=False):
            self.register_parameter(name, weight)
        self._plain = (plain,)  # in a tuple, so that torch does not register it as a submodule

    def replaced(self) -> torch.nn.Module:
        """Return the module that this one replaces."""
        return self._plain[0]


class StoredLinear(StoredModule):
    """A linear layer. weight: [out, in]."""

    weight: torch.nn.Parameter
    bias: torch.nn.Parameter | None

    def __init__(self, plain: torch.nn.Linear) -> None:
        super().__init__(plain)
        self.in_features, self.out_features = plain.in_features, plain.out_features
        if plain.bias is None:
            self.register_parameter("bias", None)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the layer's output [..., out] for rows [..., in]."""
        return functional.linear(rows, self.weight.to(rows.dtype), self.bias)


class StoredConv1D(StoredModule):
    """GPT-2's linear layer. weight: [in, out]."""

    weight: torch.nn.Parameter
    bias: torch.nn.Parameter

    def __init__(self, plain: Conv1D) -> None:
        super().__init__(plain)
        self.nf, self.nx = plain.nf, plain.nx

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """Return the layer's output [..., out] for rows [..., in]."""
        output = torch.addmm(self.bias, rows.view(-1, rows.size(-1)), self.weight.to(rows.dtype))
        return output.view(*rows.size()[:-1], self.nf)


class StoredEmbedding(StoredModule):
    """An embedding table. scalar_embed_scale: Gemma's factor of that name, else None."""

    weight: torch.nn.Parameter

    def __init__(self, plain: torch.nn.Embedding) -> None:
        super().__init__(plain)
        self.padding_idx = plain.padding_idx
        self.num_embeddings, self.embedding_dim = plain.num_embeddings, plain.embedding_dim
        self.scalar_embed_scale: float | None = getattr(plain, "scalar_embed_scale", None)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the rows of these ids, float32 [..., hidden]."""
        rows = functional.embedding(ids, self.weight, self.padding_idx).float()
        return rows if self.scalar_embed_scale is None else rows * torch.tensor(self.scalar_embed_scale)

    def replaced(self) -> torch.nn.Module:
        """Return the table that this one replaces, with Gemma's factor in float32, because loading rounded it to 16 bits."""
        plain: Any = super().replaced()
        if self.scalar_embed_scale is not None:
            plain.embed_scale.data = torch.tensor(self.scalar_embed_scale)
        return plain


def keep_stored(network: Any) -> bool:
    """Make a network that was loaded in 16 bits onto a CPU compute in float32 without widening its stored weights.

    Return False, with nothing changed, if a module with a matrix is of an unknown class. Vectors become float32.
    """
    stored: dict[str, StoredModule] = {}
    for name, module in network.named_modules():
        if type(module) is torch.nn.Linear:
            stored[name] = StoredLinear(module)
        elif type(module) is Conv1D:
            stored[name] = StoredConv1D(module)
        elif type(module) is torch.nn.Embedding or hasattr(module, "scalar_embed_scale"):
            stored[name] = StoredEmbedding(module)
        elif any(weight.dim() > 1 for weight in module.parameters(recurse=False)):
            return False
    for name, module in stored.items():
        network.set_submodule(name, module)
    for weight in network.parameters():
        if weight.dim() < 2:
            weight.data = weight.data.float()
    for buffer in network.buffers():
        if buffer.dtype in NARROW:
            buffer.data = buffer.data.float()
    network.config.dtype = torch.float32  # transformers creates masks and caches in this type
    return True


def is_stored(network: Any) -> bool:
    """Return whether this network computes in float32 with weights stored in 16 bits."""
    return any(isinstance(module, StoredModule) for module in network.modules())


def widen(network: Any) -> Any:
    """Restore the network's modules with all weights in float32, for training and for callers that write into the weights."""
    stored = {name: module for name, module in network.named_modules() if isinstance(module, StoredModule)}
    for name, module in stored.items():
        network.set_submodule(name, module.replaced())
    return network.float()
