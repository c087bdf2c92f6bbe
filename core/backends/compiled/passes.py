"""Compiled passes through a decoder: one token, several rows of one projection, a batch of texts.

Importing this module needs numba and loads the compiled code of `kernel_step`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch

from core.backends.compiled import kernel_step
from core.backends.compiled.kernel_tables import WeightTable, columns_of
from core.backends.compiled.team import Team

if TYPE_CHECKING:
    from core.backends.decoder_parts import Projection
    from core.backends.decoder_state import State

Where = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]

WORTH_A_TEAM = 2_000_000  # multiply-adds; below this, starting a second thread takes longer than it saves
_TEAM = Team()  # for products of several rows


def rows_product(part: Projection, rows: np.ndarray, out: np.ndarray, streams: int) -> None:
    """Multiply rows float32 [count, in] with a projection, into out [count, out]. streams: see `WeightTable.read_in`."""
    size = torch.get_num_threads() if rows.shape[0] * part.inputs * part.outputs >= WORTH_A_TEAM else 1
    _TEAM.run(kernel_step.rows_through, (columns_of(part, streams), np.ascontiguousarray(rows), out), size)


class CompiledStep:
    """A compiled pass of one token through these parts."""

    def __init__(self, described: WeightTable) -> None:
        self.described, parts = described, described.parts
        packed = (parts.heads + 2 * parts.kv_heads) * parts.head_size
        self._shared = packed + parts.hidden_size + parts.heads * parts.head_size + 2 * parts.intermediate_size
        self._team = Team()

    def __call__(self, token: int, state: State) -> np.ndarray:
        """Return the float32 logits [vocabulary] after this token; the state must have room. Raises IndexError outside of the tables."""
        self.described.check(token, state.length)
        full, recent = state.whole, state.recent
        firsts = np.array([full.first, recent.first], np.int64)
        logits, shared = np.empty(self.described.parts.head.outputs, np.float32), np.empty(self._shared, np.float32)
        rooms = (full.keys, recent.keys), (full.values, recent.values)
        arguments = (token, state.length, *self.described.tables, firsts, *rooms, shared, logits)
        self._team.run(kernel_step.step, arguments, torch.get_num_threads())
        state.length += 1
        return logits


class CompiledBatch:
    """A compiled pass of a few tokens of several texts through these parts, with keys and values in blocks."""

    def __init__(self, described: WeightTable) -> None:
        from core.backends.compiled import kernel_batch

        self._pass = kernel_batch.batch
        self.described, parts = described, described.parts
        lines = 2 * (parts.heads + parts.kv_heads) * parts.head_size
        self._shared = 2 * parts.hidden_size + lines + 2 * parts.intermediate_size  # numbers of workspace per row
        self._team = Team()

    def __call__(self, where: Where, blocks: np.ndarray, keys: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Return the float32 logits [wanted, vocabulary]. where: ids, positions, slots, texts, each int64 [rows], and the wanted rows.

        blocks int64 [texts, blocks]: the texts' block tables, which cover every token up to the rows' own; keys float32 [layers, blocks, KV
        heads x head size, tokens of a block], a multiple of 16; values [layers, slots, KV heads x head size]. Raises IndexError for a
        token, a position or a block outside of the tables.
        """
        ids, positions, slots, _, wanted = where
        for token, position in zip(ids.tolist(), positions.tolist(), strict=True):
            self.described.check(token, position)
        block = keys.shape[3]
        last, held = max(int(slots.max()) // block, int(blocks.max())), blocks.shape[1] * block
        if last >= keys.shape[1] or int(positions.max()) >= held or slots.min() < 0 or blocks.min() < 0:
            raise IndexError("a block that is not there")
        parts, rows = self.described.parts, len(ids)
        hidden, shared = np.empty((rows, parts.hidden_size), np.float32), np.empty(rows * self._shared, np.float32)
        logits = np.empty((len(wanted), parts.head.outputs), np.float32)
        arguments = (self.described.tables, where, blocks, keys, values, hidden, shared, logits)
        self._team.run(self._pass, arguments, torch.get_num_threads())
        return logits
