"""What `FastDecoder` writes to: keys and values of one text, with attention over them, and the buffers of a block of tokens."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch.nn import functional

from core.backends.decoder_parts import Parts, Widened

SMALLEST_RESERVE = 16  # tokens
MANY = 32  # new tokens; from here on torch's attention, which holds no scores, is faster than two products in NumPy


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
            rotated = 2 * plain.shape[-1]
            if rotated < self._plain.shape[-1]:
                self._turned[..., rotated:] = self._plain[..., rotated:]
        asking = self._turned[:, : self._heads]
        np.multiply(asking, np.float32(scaling), asking)


@dataclass(slots=True, eq=False)
class KVBuffer:
    """Keys [layers, KV heads, head size, reserve] and values [layers, KV heads, reserve, head size] of the layers with the same window.

    Keys have the tokens last: scores take a third less time than with the head size last. first: the position of the first token held;
    earlier tokens are outside of the window of every later token.
    """

    keys: np.ndarray
    values: np.ndarray
    first: int = 0

    @property
    def reserve(self) -> int:
        """Number of tokens that fit."""
        return self.keys.shape[-1]


@dataclass(slots=True, eq=False)
class State:
    """The keys and values of a text, and a workspace. whole: of layers that see all tokens; recent: of those with a sliding window."""

    whole: KVBuffer
    recent: KVBuffer
    workspace: Workspace
    length: int = 0  # tokens computed

    @property
    def keys(self) -> np.ndarray:
        """The keys of the layers that see the whole text."""
        return self.whole.keys

    @property
    def values(self) -> np.ndarray:
        """The values of the layers that see the whole text."""
        return self.whole.values


def reserve_for(tokens: int) -> int:
    """Return how many tokens to make room for when this many are held: about half as many more, at most twice as many.

    The result is never a power of two. Rows at such distances would share a few lines of the processor's cache.
    """
    wanted = max(SMALLEST_RESERVE, tokens + tokens // 2)
    return wanted // 32 * 32 + 16 if tokens >= 32 else wanted // 8 * 8


class View:
    """The keys and values that a block of tokens sees, in the layers with the same window. The state has room for the block."""

    def __init__(self, state: State, past: int, width: int | None, workspace: Workspace) -> None:
        length = past + workspace.rows
        room = state.whole if width is None else state.recent
        begin = 0 if width is None else max(0, past - width + 1)
        here = slice(begin - room.first, length - room.first)
        self._new = slice(past - room.first, length - room.first)
        self._all_keys, self._all_values = room.keys, room.values
        self._keys, self._values = room.keys[:, :, None, :, here], room.values[:, :, None, here]
        self._first = length == workspace.rows  # there are no tokens before these
        self._causal = self._first and (width is None or length <= width)  # each new token sees all new ones up to itself
        self._score_shape = *workspace.queries.shape[:3], length - begin
        self._scores: np.ndarray | None = None
        self._unseen: np.ndarray | None = None
        if workspace.rows > 1:
            positions, new_positions = np.arange(begin, length), np.arange(past, length)[:, None]
            unseen = positions > new_positions
            if width is not None:
                unseen |= positions <= new_positions - width
            self._unseen = np.where(unseen, np.float32(-np.inf), np.float32(0))

    def store(self, index: int, workspace: Workspace) -> None:
        """Store the new tokens' keys and values. index: the index of the layer among those with the same window."""
        self._all_keys[index][..., self._new] = workspace.new_keys
        self._all_values[index][:, self._new] = workspace.new_values

    def attend(self, index: int, workspace: Workspace, softcap: float | None) -> None:
        """Write each new token's attention output into workspace.mixed, once its keys and values are stored."""
        if workspace.rows >= MANY and softcap is None:
            self._attend_together(index, workspace)
            return
        if self._scores is None:
            self._scores = np.empty(self._score_shape, np.float32)
        scores = self._scores
        # One product per head, though heads share keys: BLAS is faster with vectors for so few rows, and the keys are already in the cache.
        np.matmul(workspace.queries, self._keys[index], scores)
        if softcap is not None:
            cap(scores, softcap)
        if self._unseen is not None:
            scores += self._unseen
        weights = torch.from_numpy(scores)  # torch's softmax, because NumPy needs five calls
        torch.softmax(weights, -1, out=weights)
        np.matmul(scores, self._values[index], workspace.mixed)

    def _attend_together(self, index: int, workspace: Workspace) -> None:
        """Write the attention output of many tokens at once; their queries are scaled already."""
        heads = len(workspace.queries) * workspace.queries.shape[1]
        queries = torch.from_numpy(workspace.queries).reshape(1, heads, *workspace.queries.shape[2:])
        keys = torch.from_numpy(workspace.new_keys if self._first else self._keys[index, :, 0]).transpose(1, 2).contiguous()
        values = torch.from_numpy(self._values[index, :, 0])
        unseen = None if self._causal or self._unseen is None else torch.from_numpy(self._unseen)
        mixed = functional.scaled_dot_product_attention(
            queries, keys[None], values[None], unseen, is_causal=self._causal, scale=1.0, enable_gqa=True
        )
        workspace.mixed[:] = mixed.view(workspace.queries.shape).numpy()


def cap(scores: np.ndarray, cap: float) -> None:
    """Apply a soft cap in place: cap x tanh(score / cap)."""
    np.multiply(scores, np.float32(1 / cap), scores)
    np.tanh(scores, scores)
    np.multiply(scores, np.float32(cap), scores)
