"""Quantized KV cache (INT8, INT4) as a transformers cache layer.

Each position is rounded once, when it is written, in groups of 32 numbers. Each group has a scale and a lowest value of 16 bits each. All
reads return the rounded numbers. Computing a text at once or token by token differs only by the order of sums, which can change a rounded
number by one step: up to 6e-3 in the logits of the bundled model at 8 bits. transformers' quantized layers round a whole block again
whenever it is full, and need packages that do not support 8 bits.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import torch
from transformers.cache_utils import Cache, DynamicLayer

from core.errors import BadSetting

GROUP = 32
BITS = (8, 4)


class Packed(NamedTuple):
    """Rounded numbers: codes uint8 [batch, heads, tokens, bytes], scale and lowest float16 [batch, heads, tokens, groups]."""

    codes: torch.Tensor
    scale: torch.Tensor
    lowest: torch.Tensor

    def tokens(self, index: slice | torch.Tensor) -> Packed:
        """Return only these tokens."""
        return Packed(self.codes[:, :, index], self.scale[:, :, index], self.lowest[:, :, index])

    def joined(self, other: Packed) -> Packed:
        """Return these tokens followed by the other ones."""
        return Packed(*(torch.cat(pair, dim=-2) for pair in zip(self, other, strict=True)))


def pack(numbers: torch.Tensor, bits: int) -> Packed:
    """Round numbers [batch, heads, tokens, size] to `bits` (8 or 4) each; with 4, two share a byte."""
    batch, heads, tokens, size = numbers.shape
    groups = numbers.float().reshape(batch, heads, tokens, -1, group_size(size))
    lowest = groups.amin(-1).half()
    # The scale starts from the rounded lowest value, so that its rounding adds no error to the others.
    scale = ((groups.amax(-1) - lowest.float()).clamp(min=0) / (2**bits - 1)).half()
    step = torch.where(scale > 0, scale, 1.0).float()
    codes = ((groups - lowest.float()[..., None]) / step[..., None]).round().clamp(0, 2**bits - 1).to(torch.uint8)
    codes = codes.reshape(batch, heads, tokens, size)
    if bits == 4:
        if size % 2:
            codes = torch.nn.functional.pad(codes, (0, 1))
        codes = codes[..., 0::2] | codes[..., 1::2] << 4
    return Packed(codes, scale, lowest)


def unpack(packed: Packed, bits: int, size: int, dtype: torch.dtype) -> torch.Tensor:
    """Return the rounded numbers [batch, heads, tokens, size]."""
    codes = packed.codes
    if bits == 4:
        codes = torch.stack([codes & 15, codes >> 4], dim=-1).flatten(-2)[..., :size]
    groups = codes.reshape(*codes.shape[:3], -1, group_size(size)).float()
    return (groups * packed.scale.float()[..., None] + packed.lowest.float()[..., None]).reshape(*codes.shape[:3], size).to(dtype)


def group_size(size: int) -> int:
    """Return how many numbers share a scale: 32 if that divides the head size, else the whole head."""
    return GROUP if size % GROUP == 0 else size


def packed_bytes(size: int, bits: int) -> int:
    """Return the bytes of one vector of this size: its codes, and 2 bytes each for every group's scale and lowest value."""
    return (size * bits + 7) // 8 + 4 * (size // group_size(size))


class QuantizedLayer(DynamicLayer):
    """One layer's keys and values at 8 or 4 bits, stored in `packed`. `keys` and `values` stay empty."""

    def __init__(self, bits: int) -> None:
        super().__init__()
        if bits not in BITS:
            raise BadSetting("Keys and values can be stored with 8 or 4 bits, not with {bits}.", bits=bits)
        self.bits = bits
        self.packed: tuple[Packed, Packed] | None = None
        self._sizes = (0, 0)

    def update(self, key_states: torch.Tensor, value_states: torch.Tensor, *args: Any, **kwargs: Any) -> tuple[torch.Tensor, torch.Tensor]:
        if not self.is_initialized:
            self.lazy_initialization(key_states, value_states)
        new = (pack(key_states, self.bits), pack(value_states, self.bits))
        self._sizes = (key_states.shape[-1], value_states.shape[-1])
        self.packed = new if self.packed is None else (self.packed[0].joined(new[0]), self.packed[1].joined(new[1]))
        keys, values = (unpack(part, self.bits, size, self.dtype) for part, size in zip(self.packed, self._sizes, strict=True))
        return keys, values

    def get_seq_length(self) -> int:
        return 0 if self.packed is None else self.packed[0].codes.shape[-2]

    def crop(self, tokens_to_remove: int) -> None:
        if self.packed is not None and tokens_to_remove:
            left = slice(0, self.get_seq_length() - abs(tokens_to_remove))
            self.packed = (self.packed[0].tokens(left), self.packed[1].tokens(left))

    def reset(self) -> None:
        super().reset()
        self.packed = None


def quantized_cache(layer_count: int, bits: int) -> Cache:
    """Return a cache of this many layers, for models whose layers keep plain keys and values."""
    return Cache(layers=[QuantizedLayer(bits) for _each in range(layer_count)])
