"""The buffers in which `FastDecoder` computes a block of tokens."""

from __future__ import annotations

import numpy as np

from core.backends.decoder_parts import Parts
from core.backends.decoder_products import Widened


class Workspace:
    """Buffers for `rows` tokens through the layers, and views of them. Used by one pass at a time. widened: shared with other blocks.

    Each token has one row [lines, head size]: queries head by head, then keys, then values. Three calls rotate queries and keys.
    """

    def __init__(self, parts: Parts, rows: int, widened: Widened | None = None) -> None:
        self.widened = widened or Widened(1)
        heads, kv_heads, size = parts.heads, parts.kv_heads, parts.head_size
        group, turned = heads // kv_heads, heads + kv_heads
        self.rows, self._heads, self._rotaries = rows, heads, parts.rotaries
        self.hidden, self.normed, self.change, self.sum = np.empty((4, rows, parts.hidden_size), np.float32)
        self.intermediate = np.empty(2 * rows * parts.intermediate_size, np.float32)
        self.packed, self.spare = np.empty((2, rows, (heads + 2 * kv_heads) * size), np.float32)
        lines = self.packed.reshape(rows, heads + 2 * kv_heads, size)
        queries, keys = self.packed[:, : heads * size], self.packed[:, heads * size : turned * size]
        self.to_norm = (lines[:, :heads], queries), (lines[:, heads:turned], keys)  # head by head, or all of a token's at once
        self._plain = lines[:, :turned]
        self._turned = np.empty((rows, turned, size), np.float32)
        self._cosines: list[np.ndarray] = []
        self._sines: list[np.ndarray] = []
        self._halves: list[tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]] = []
        for rotary in parts.rotaries:
            half = len(rotary.frequencies)
            shape = (rows, turned, 2, half)
            self._cosines.append(np.empty(shape, np.float32))
            self._sines.append(np.empty(shape, np.float32))
            plain = self._plain[..., : 2 * half].reshape(shape)
            self._halves.append((plain, plain[:, :, ::-1], self._turned[..., : 2 * half].reshape(shape), np.empty(shape, np.float32)))
        self.mixed_rows = np.empty((rows, heads * size), np.float32)
        # Views for attention: [KV heads, heads per KV head, rows, head size]; keys with the last two axes swapped.
        self.queries = self._turned[:, :heads].reshape(rows, kv_heads, group, size).transpose(1, 2, 0, 3)
        self.mixed = self.mixed_rows.reshape(rows, kv_heads, group, size).transpose(1, 2, 0, 3)
        self.new_keys = self._turned[:, heads:].transpose(1, 2, 0)
        self.new_values = lines[:, turned:].transpose(1, 0, 2)

    def turn_to(self, position: int) -> None:
        """Set the rotations for tokens from `position` on."""
        for rotary, cosines, sines in zip(self._rotaries, self._cosines, self._sines, strict=True):
            angles = np.arange(position, position + self.rows, dtype=np.float32)[:, None, None, None] * rotary.frequencies
            scale = np.float32(rotary.scale)
            cosines[:] = np.cos(angles) * scale
            sines[:, :, 1:] = np.sin(angles) * scale
            np.negative(sines[:, :, 1], sines[:, :, 0])

    def rotate(self, rotary: int | None, scaling: float) -> None:
        """Rotate queries and keys to their positions: x cos + (x with its halves swapped) sin, the first half's sine negative.

        Queries are multiplied with the scaling of their scores.
        """
        if rotary is None:
            np.copyto(self._turned, self._plain)
        else:
            plain, swapped, turned, crossed = self._halves[rotary]
            np.multiply(plain, self._cosines[rotary], turned)
            np.multiply(swapped, self._sines[rotary], crossed)
            np.add(turned, crossed, turned)
            done = 2 * plain.shape[-1]
            if done < self._plain.shape[-1]:
                self._turned[..., done:] = self._plain[..., done:]
        asking = self._turned[:, : self._heads]
        np.multiply(asking, np.float32(scaling), asking)
