"""Which matrices of a network are rounded to fewer bits, to which values, and how many bytes they would take.

The method is round to nearest: a group of weights (a matrix row, or a part of it) shares one 16-bit scale and a zero point of `bits` bits,
and each weight becomes the nearest of 2^bits evenly spaced values, of which one is zero. 16 bits are float16. The rounded values are
ordinary weights, for the network's forward pass; the bytes are computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from core.engine.stored_weights import StoredLinear


def round_weights(weight: torch.Tensor, bits: int, group: int | None = None) -> torch.Tensor:
    """Return `weight` [rows, numbers] rounded to `bits` bits, same shape and dtype. Each `group` of a row has its own scale and zero point.

    >>> round_weights(torch.tensor([[-1.0, 0.2, 0.4, 2.0]]), 2).tolist()
    [[-1.0, 0.0, 0.0, 2.0]]
    """
    if bits == 16:
        return weight.half().to(weight.dtype)
    size = group if group and weight.shape[1] % group == 0 else weight.shape[1]
    groups = weight.float().reshape(len(weight), -1, size)
    top = 2**bits - 1
    lowest, highest = groups.amin(-1, keepdim=True).clamp(max=0), groups.amax(-1, keepdim=True).clamp(min=0)
    scale = ((highest - lowest) / top).half().float().clamp(min=6e-8)
    zero = (-lowest / scale).round().clamp(0, top)
    return (((groups / scale + zero).round().clamp(0, top) - zero) * scale).reshape(weight.shape).to(weight.dtype)


def rounded_bytes(shape: Sequence[int], bits: int, group: int | None = None) -> int:
    """Return the bytes of quantized weights of shape [rows, numbers]: the bits of each and of each zero point, and 2 bytes per scale.

    >>> rounded_bytes((4, 64), 4, 32), rounded_bytes((4, 64), 8), rounded_bytes((4, 64), 16)
    (148, 268, 512)
    """
    rows, numbers = shape
    scales = 0 if bits == 16 else rows * (numbers // group if group and numbers % group == 0 else 1)
    return ((rows * numbers + scales) * bits + 7) // 8 + 2 * scales


def weight_matrices(module: Any, hidden_size: int) -> list[tuple[torch.Tensor, bool]]:
    """Return the weights [out, in] of a linear layer or [experts, out, in] of packed experts, and whether in and out are exchanged.

    Empty for any other module.
    """
    if isinstance(module, torch.nn.Linear | StoredLinear):
        return [(module.weight, False)]
    if type(module).__name__.endswith("Conv1D"):  # GPT-2's
        return [(module.weight, True)]
    packed = [weight for weight in module.parameters(recurse=False) if weight.dim() == 3]
    if "Experts" not in type(module).__name__ or not packed:
        return []
    # Where the module does not say how it keeps them, its first matrix shows it, which takes the hidden states.
    inputs = getattr(module, "input_size", hidden_size)
    turned = getattr(module, "is_transposed", packed[0].shape[-1] != inputs)
    return [(weight, turned) for weight in packed]


def rounded_copy(weight: torch.Tensor, turned: bool, bits: int, group: int | None, dtype: torch.dtype) -> torch.Tensor:
    """Return the weights of `weight_matrices` rounded in this dtype, each expert by itself, in the memory layout of `weight`."""
    wide = torch.empty_like(weight.data, dtype=dtype)
    for matrix, target in zip(*(data.view(-1, *data.shape[-2:]) for data in (weight.data, wide)), strict=True):
        rounded = round_weights((matrix.T if turned else matrix).to(dtype), bits, group)
        target.copy_(rounded.T if turned else rounded)
    return wide
