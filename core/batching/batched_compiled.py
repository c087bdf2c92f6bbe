"""Batched passes in compiled code, on a CPU, for models that run by a `FastDecoder`: any number of tokens of any number of requests.

Each matrix product computes many rows at once, so the weights are read once for many requests. Attention is computed per text. Rows are
never padded. `core.backends.compiled` holds the code, and `core.backends.fast_decoder` has compared its logits with the network's.
`python -m tests.benchmarks.serving` measures the passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch

from core.batching.block_pool import BLOCK_SIZE, blocks_for, slots_of

if TYPE_CHECKING:
    from core.backends.compiled.passes import CompiledBatch

ROWS = 32  # tokens computed together: more share a read of the weights, but then the processor's cache does not hold their numbers


class Part(Protocol):
    """One request's part of a pass."""

    @property
    def token_ids(self) -> Sequence[int]:
        """Return the new tokens, at least one."""

    @property
    def start(self) -> int:
        """Return the number of tokens before them, whose keys and values are in the blocks."""

    @property
    def block_table(self) -> Sequence[int]:
        """Return the blocks of the text, with room for the new tokens."""


class BatchRunner(Protocol):
    """Runs passes over many requests and keeps their keys and values in blocks. One server uses it, under the engine's lock.

    within_pass: whether a part may attend to blocks that an earlier part of the same pass fills. padded_tokens: masked places in the newest
    pass, because texts of different lengths shared one product. bytes: of the memory for keys and values.
    """

    within_pass: bool
    padded_tokens: int
    bytes: int

    def run(self, parts: Sequence[Part], every: bool = False) -> torch.Tensor:
        """Return float32 logits [parts, vocabulary] of each part's last token, or with `every` [tokens, vocabulary] of all new tokens."""


class BatchedCompiled:
    """See `BatchRunner`. batch: of the model's decoder (`FastDecoder.compiled_batch`); blocks: number of blocks of 16 tokens.

    `run` raises IndexError for a token, a position or a block outside of the tables.
    """

    within_pass = True
    padded_tokens = 0

    def __init__(self, batch: CompiledBatch, blocks: int) -> None:
        self._batch = batch
        parts = batch.described.parts
        width = parts.kv_heads * parts.head_size
        # The keys of a block's tokens are adjacent in memory, so that sixteen scores are computed at a time.
        self._keys = np.zeros((len(parts.layers), blocks, width, BLOCK_SIZE), np.float32)
        self._values = np.zeros((len(parts.layers), blocks * BLOCK_SIZE, width), np.float32)
        self.bytes = self._keys.nbytes + self._values.nbytes

    def run(self, parts: Sequence[Part], every: bool = False) -> torch.Tensor:
        counts = [len(part.token_ids) for part in parts]
        spans = [(part.start, part.start + count) for part, count in zip(parts, counts, strict=True)]
        # id, position, slot and text of each new token, in the order in which they are computed
        ids = np.concatenate([np.asarray(part.token_ids, dtype=np.int64) for part in parts])
        positions = np.concatenate([np.arange(start, stop) for start, stop in spans])
        slots = np.concatenate([slots_of(part.block_table, *span) for part, span in zip(parts, spans, strict=True)])
        texts = np.repeat(np.arange(len(parts)), counts)
        blocks = np.zeros((len(parts), max(blocks_for(stop) for _, stop in spans)), dtype=np.int64)  # shorter tables are padded with 0
        for row, part, (_, stop) in zip(blocks, parts, spans, strict=True):
            table = part.block_table[: blocks_for(stop)]
            row[: len(table)] = table
        wanted = np.arange(len(ids)) if every else np.cumsum(counts) - 1
        logits = []
        for begin in range(0, len(ids), ROWS):
            rows = slice(begin, begin + ROWS)
            asked = wanted[(begin <= wanted) & (wanted < begin + ROWS)] - begin
            where = ids[rows], positions[rows], slots[rows], texts[rows], asked
            logits.append(self._batch(where, blocks, self._keys, self._values))
        return torch.from_numpy(np.concatenate(logits))
