"""Keys and values of one text, for `FastDecoder`, and attention over them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from core.backends.workspace import Workspace

SMALLEST_RESERVE = 16  # tokens


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

    @property
    def nbytes(self) -> int:
        """Bytes of both arrays, including the reserve."""
        return self.keys.nbytes + self.values.nbytes


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

    @property
    def reserved_bytes(self) -> int:
        """Bytes of all arrays with their reserve: at most twice those of the tokens, or of sixteen."""
        return self.whole.nbytes + self.recent.nbytes


def reserve_for(tokens: int) -> int:
    """Return how many tokens to make room for when this many are held: about half as many more, at most twice as many.

    The result is never a power of two. Rows at such distances would share a few lines of the processor's cache.
    """
    wanted = max(SMALLEST_RESERVE, tokens + tokens // 2)
    return wanted // 32 * 32 + 16 if tokens >= 32 else wanted // 8 * 8


class View:
    """The keys and values that a block of tokens sees, in the layers with the same window."""

    def __init__(self, state: State, width: int | None, workspace: Workspace) -> None:
        past, length = state.length, state.length + workspace.rows
        room = state.whole if width is None else state.recent
        begin = 0 if width is None else max(0, past - width + 1)
        here = slice(begin - room.first, length - room.first)
        self._new = slice(past - room.first, length - room.first)
        self._all_keys, self._all_values = room.keys, room.values
        self._keys, self._values = room.keys[:, :, None, :, here], room.values[:, :, None, here]
        self._scores = np.empty((*workspace.queries.shape[:3], length - begin), np.float32)
        self._weights = torch.from_numpy(self._scores)  # for torch's softmax, because NumPy needs five calls
        self._unseen: np.ndarray | None = None
        if workspace.rows > 1:
            places, own = np.arange(begin, length), np.arange(past, length)[:, None]
            unseen = places > own
            if width is not None:
                unseen |= places <= own - width
            self._unseen = np.where(unseen, np.float32(-np.inf), np.float32(0))

    def attend(self, place: int, workspace: Workspace, softcap: float | None) -> None:
        """Store the new keys and values, and write each new token's attention output into workspace.mixed."""
        self._all_keys[place][..., self._new] = workspace.new_keys
        self._all_values[place][:, self._new] = workspace.new_values
        # One product per head, though heads share keys: BLAS is faster with vectors for so few rows, and the keys are already in the cache.
        np.matmul(workspace.queries, self._keys[place], self._scores)
        if softcap is not None:
            cap(self._scores, softcap)
        if self._unseen is not None:
            self._scores += self._unseen
        torch.softmax(self._weights, -1, out=self._weights)
        np.matmul(self._scores, self._values[place], workspace.mixed)


def cap(scores: np.ndarray, cap: float) -> None:
    """Apply a soft cap in place: cap x tanh(score / cap)."""
    np.multiply(scores, np.float32(1 / cap), scores)
    np.tanh(scores, scores)
    np.multiply(scores, np.float32(cap), scores)
