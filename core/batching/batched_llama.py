"""Ragged passes on a CPU for models that run by a `FastDecoder`: any number of tokens of any number of requests, with keys and values in
blocks.

Each matrix product computes all rows at once, so the weights are read only once for all requests. Attention is computed per text. Rows are
never padded. The texts with one new token share one attention product, which is as long as the longest of them.

A pass of few rows runs completely in compiled code (`core.backends.compiled`) if it is available. Otherwise, and for many rows, the pass
uses NumPy and torch in this file.

The weights are the network's own; `core.backends.fast_decoder` has compared the decoder with transformers. In a small model, projections
that read the same rows are joined into one matrix, which needs a copy. In a large model this would save little time.
`python -m tests.benchmarks.serving` measures the passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
import torch
from torch.nn import functional

from core.backends import compiled
from core.backends.decoder_parts import Layer, Norm, Projection
from core.backends.decoder_products import FEW, FEW_STORED, Product, activate
from core.backends.decoder_state import cap
from core.backends.fast_decoder import FastDecoder
from core.batching.block_pool import BLOCK_SIZE, blocks_for

if TYPE_CHECKING:
    from core.backends.compiled.passes import Where
    from core.engine.model import LanguageModel

COPIED_BYTES = 256_000_000  # weights up to this size may be in memory twice
FEW_ROWS = 4  # up to here torch's own linear is the quickest product, beyond it weights times rows: measured with weights out of the cache


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

    within_pass: whether a part may attend to blocks that another part of the same pass fills. padded_tokens: masked places in the newest
    pass, because texts of different lengths shared one product. bytes: of the memory for keys and values.
    """

    within_pass: bool
    padded_tokens: int
    bytes: int

    def run(self, parts: Sequence[Part], every: bool = False) -> torch.Tensor:
        """Return float32 logits [parts, vocabulary] of each part's last token, or with `every` [tokens, vocabulary] of all new tokens."""


def slots_of(table: Sequence[int], start: int, stop: int) -> np.ndarray:
    """Return the slots of the tokens [start, stop) of a text, int64, counted over all blocks."""
    places = np.arange(start, stop)
    return np.asarray(table, dtype=np.int64)[places // BLOCK_SIZE] * BLOCK_SIZE + places % BLOCK_SIZE


class BatchedLlama:
    """See `BatchRunner`. model: its backend is a `FastDecoder` which `can_be_batched`; blocks: number of blocks of 16 tokens.

    Compiled code is used from the first pass on or never, so that all measured times of a run are comparable.
    """

    within_pass = True

    def __init__(self, model: LanguageModel, blocks: int, compiled: bool = True) -> None:
        decoder = model.engine.backend
        assert isinstance(decoder, FastDecoder)
        self._together = decoder.compiled_batch() if compiled else None
        copied = model.weight_bytes <= COPIED_BYTES
        self.parts = parts = decoder.parts
        self.heads, self.kv_heads, self.head_size = parts.heads, parts.kv_heads, parts.head_size
        self.embedding, self.positions = decoder.embedding, decoder.positions
        with torch.inference_mode():
            self.layers = [_Layer(layer, copied) for layer in parts.layers]
            self.head = _Projection((parts.head,), copied)
        width = self.kv_heads * self.head_size
        # The keys of a block's tokens are adjacent in memory, so that sixteen scores are computed at a time.
        self.keys = np.zeros((len(self.layers), blocks, width, BLOCK_SIZE), np.float32)
        self.values = np.zeros((len(self.layers), blocks * BLOCK_SIZE, width), np.float32)
        self.padded_tokens = 0
        self.bytes = self.keys.nbytes + self.values.nbytes

    @torch.inference_mode()
    def run(self, parts: Sequence[Part], every: bool = False) -> torch.Tensor:
        rows = sum(len(part.token_ids) for part in parts)
        if self._together is not None and rows <= FEW_STORED:
            self.padded_tokens = 0
            where, blocks = _places(parts, every)
            return torch.from_numpy(self._together(where, blocks, self.keys, self.values))
        batch, whole = _Batch(self, parts), self.parts
        self.padded_tokens = batch.padded_tokens
        hidden: np.ndarray = self.embedding[batch.token_ids] * np.float32(whole.embedding_scale)
        if self.positions is not None:
            hidden += self.positions[batch.positions]
        residual = np.float32(whole.residual_scale)
        with np.errstate(all="ignore"):  # a broken model's infinities show in the logits, not as warnings
            for layer, keys, values in zip(self.layers, self.keys, self.values, strict=True):
                own = layer.parts
                taken = _normed(own.attention_norm, hidden)
                change = self._attention(layer, taken, keys, values, batch)
                if own.attention_post_norm is not None:
                    own.attention_post_norm(change, change)
                beside = hidden
                hidden = hidden + change * residual
                if own.feed_forward_norm is not None or not own.parallel:
                    taken = _normed(own.feed_forward_norm, beside if own.parallel else hidden)
                change = layer.feed_forward(taken)
                if own.feed_forward_post_norm is not None:
                    own.feed_forward_post_norm(change, change)
                hidden = hidden + change * residual
            wanted = hidden if every else hidden[batch.last_rows]
            logits = self.head(_normed(whole.norm, wanted))
            logits *= np.float32(whole.logit_scale)
            if whole.logit_softcap is not None:
                cap(logits, whole.logit_softcap)
            return torch.from_numpy(logits)

    def _attention(self, layer: _Layer, taken: np.ndarray, keys: np.ndarray, values: np.ndarray, batch: _Batch) -> np.ndarray:
        """Return the output of attention for each row, after the output projection."""
        rows, size, queries = len(taken), self.head_size, self.heads * self.head_size
        turned = queries + self.kv_heads * size
        projected = layer.qkv(taken)
        norms = layer.parts.head_norms
        if norms is not None:
            for norm, span in zip(norms, (slice(0, queries), slice(queries, turned)), strict=True):
                part = projected[:, span]
                lines = part if norm.weight.shape[1] != size else part.reshape(rows, -1, size)
                found = np.empty_like(lines)
                norm(lines, found)
                projected[:, span] = found.reshape(rows, -1)
        if layer.parts.rotary is not None:
            cosines, sines = batch.turns[layer.parts.rotary]
            half = cosines.shape[-1]
            lines = projected.reshape(rows, -1, size)[:, : self.heads + self.kv_heads, : 2 * half]
            heads = lines.reshape(rows, -1, 2, half)
            rotated = heads * cosines
            rotated += heads[:, :, ::-1] * sines
            lines[:] = rotated.reshape(lines.shape)
        keys[batch.new_slots // BLOCK_SIZE, :, batch.new_slots % BLOCK_SIZE] = projected[:, queries:turned]
        values[batch.new_slots] = projected[:, turned:]
        return layer.o(self._attend(projected[:, :queries], keys, values, batch, layer.parts.scaling))

    def _attend(self, queries: np.ndarray, keys: np.ndarray, values: np.ndarray, batch: _Batch, scaling: float) -> np.ndarray:
        """Return the attention-weighted values for queries [rows, heads x head size], same shape."""
        mixed = np.empty(queries.shape, np.float32)
        group, size = self.heads // self.kv_heads, self.head_size
        lines = values.reshape(len(keys), -1)
        for rows, blocks, count, mask in batch.views:
            # [texts, KV heads, tokens, head size]; the query heads that share a KV head are joined along the axis of tokens.
            texts = len(rows) // count
            known = torch.from_numpy(keys.take(blocks, 0)).view(texts, -1, self.kv_heads, size, BLOCK_SIZE)
            own_keys = known.permute(0, 2, 1, 4, 3).flatten(2, 3)
            own_values = torch.from_numpy(lines.take(blocks, 0)).view(texts, -1, self.kv_heads, size).transpose(1, 2)
            asked = (
                torch.from_numpy(np.ascontiguousarray(queries[rows]))
                .view(texts, count, self.kv_heads, group, size)
                .permute(0, 2, 3, 1, 4)
                .flatten(2, 3)
            )
            found = functional.scaled_dot_product_attention(asked, own_keys, own_values, attn_mask=mask, scale=scaling)
            mixed[rows] = found.unflatten(2, (group, count)).permute(0, 3, 1, 2, 4).reshape(len(rows), -1).numpy()
        return mixed


def _places(parts: Sequence[Part], every: bool) -> tuple[Where, np.ndarray]:
    """Return id, position, slot and text of each new token and the wanted rows, and the block tables, padded to the longest one."""
    counts = [len(part.token_ids) for part in parts]
    spans = [(part.start, part.start + count) for part, count in zip(parts, counts, strict=True)]
    ids = np.concatenate([np.asarray(part.token_ids, dtype=np.int64) for part in parts])
    positions = np.concatenate([np.arange(start, stop) for start, stop in spans])
    slots = np.concatenate([slots_of(part.block_table, *span) for part, span in zip(parts, spans, strict=True)])
    texts = np.repeat(np.arange(len(parts)), counts)
    blocks = np.zeros((len(parts), max(blocks_for(stop) for _, stop in spans)), dtype=np.int64)
    for line, part, (_, stop) in zip(blocks, parts, spans, strict=True):
        own = part.block_table[: blocks_for(stop)]
        line[: len(own)] = own
    wanted = np.arange(len(ids)) if every else np.cumsum(counts) - 1
    return (ids, positions, slots, texts, wanted), blocks


class _Batch:
    """The data of a pass that all layers share: ids, rotations, slots, and for each view its rows and blocks.

    A view is a set of rows that share one attention product: all requests with one new token, or one request with several.
    views: rows int64 [texts x count], blocks int64 [texts x blocks], count: new tokens of a text, mask float [texts or 1, 1, 1 or
    group x count, blocks x 16].
    """

    def __init__(self, model: BatchedLlama, parts: Sequence[Part]) -> None:
        counts = [len(part.token_ids) for part in parts]
        ends = np.cumsum(counts)
        begins = ends - counts
        self.token_ids = np.concatenate([np.asarray(part.token_ids, dtype=np.int64) for part in parts])
        self.last_rows = ends - 1
        positions = np.concatenate([np.arange(part.start, part.start + count) for part, count in zip(parts, counts, strict=True)])
        self.new_slots = np.concatenate(
            [slots_of(part.block_table, part.start, part.start + count) for part, count in zip(parts, counts, strict=True)]
        )
        self.positions = positions
        # Rotation by position (Su et al. 2021, arXiv 2104.09864): x cos + (x with its halves swapped) sin, the first half's sine negative.
        self.turns: list[tuple[np.ndarray, np.ndarray]] = []
        for rotary in model.parts.rotaries:
            angles = positions.astype(np.float32)[:, None] * rotary.frequencies
            sines = np.sin(angles) * np.float32(rotary.scale)
            cosines = (np.cos(angles) * np.float32(rotary.scale))[:, None, None, :]
            self.turns.append((cosines, np.stack([-sines, sines], 1)[:, None]))

        self.padded_tokens = 0
        self.views: list[tuple[np.ndarray, np.ndarray, int, torch.Tensor]] = []
        group = model.heads // model.kv_heads
        single = [place for place, count in enumerate(counts) if count == 1]
        if single:
            lengths = np.array([parts[place].start + 1 for place in single])
            longest = blocks_for(int(lengths.max()))
            blocks = np.zeros((len(single), longest), dtype=np.int64)  # block 0 fills the rows of shorter texts and is masked
            for row, place in enumerate(single):
                own = parts[place].block_table[: blocks_for(int(lengths[row]))]
                blocks[row, : len(own)] = own
            self.padded_tokens = int((longest * BLOCK_SIZE - lengths).sum())
            mask = _mask(np.arange(longest * BLOCK_SIZE) >= lengths[:, None])[:, None, None, :]
            self.views.append((begins[single], blocks.ravel(), 1, mask))
        for place, part in enumerate(parts):
            if counts[place] > 1:
                stop = part.start + counts[place]
                held = np.asarray(part.block_table[: blocks_for(stop)], dtype=np.int64)
                future = np.arange(len(held) * BLOCK_SIZE) > np.arange(part.start, stop)[:, None]
                mask = _mask(future).repeat(group, 1)[None, None]
                self.views.append((np.arange(begins[place], ends[place]), held, counts[place], mask))


def _mask(unseen: np.ndarray) -> torch.Tensor:
    """Return 0 for visible places and -inf for unseen ones, same shape, float32."""
    return torch.from_numpy(np.where(unseen, np.float32(-np.inf), np.float32(0)))


class _Projection:
    """Linear layers that read the same rows, joined into one product if `copied`: [rows, in] -> [rows, all their outputs].

    When compiled code is ready, it computes few rows directly from the stored weights and reads each weight once.
    """

    def __init__(self, parts: Sequence[Projection], copied: bool) -> None:
        self._own = tuple(Product(part) for part in parts)
        self._plain = all(part.weight.dtype is torch.float32 for part in parts)
        self._order = parts[0].order
        self._outputs = [part.outputs for part in parts]
        self._parts = [(part.weight, None if part.bias is None else torch.from_numpy(part.bias)) for part in parts]
        if copied and self._plain and len(parts) > 1:
            zeros = [torch.zeros(len(weight)) if bias is None else bias for weight, bias in self._parts]
            bias = torch.cat(zeros) if any(bias is not None for _, bias in self._parts) else None
            self._parts = [(torch.cat([weight for weight, _ in self._parts]), bias)]

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        if self._plain and not (1 < len(rows) <= FEW and compiled.is_ready()):
            out = [self._product(rows, *part) for part in self._parts]
        else:
            out = [np.empty((len(rows), count), np.float32) for count in self._outputs]
            for product, into in zip(self._own, out, strict=True):
                product(np.ascontiguousarray(rows), into)
        joined = out[0] if len(out) == 1 else np.concatenate(out, 1)
        return joined if self._order is None else joined.take(self._order, 1)

    @staticmethod
    def _product(rows: np.ndarray, weight: torch.Tensor, bias: torch.Tensor | None) -> np.ndarray:
        if len(rows) == 1:
            out = np.dot(rows, weight.numpy().T)
        elif len(rows) <= FEW_ROWS:
            return functional.linear(torch.from_numpy(rows), weight, bias).numpy()
        else:
            out = np.ascontiguousarray(torch.mm(weight, torch.from_numpy(np.ascontiguousarray(rows.T))).numpy().T)
        if bias is not None:
            out += bias.numpy()
        return out


class _Layer:
    """The products of one layer."""

    def __init__(self, parts: Layer, copied: bool) -> None:
        self.parts = parts
        self.qkv, self.gate_up = _Projection(parts.qkv, copied), _Projection(parts.gate_up, copied)
        self.o, self.down = _Projection((parts.o,), copied), _Projection((parts.down,), copied)

    def feed_forward(self, rows: np.ndarray) -> np.ndarray:
        """Return the output of the feed-forward part for these rows."""
        both = self.gate_up(rows)
        width = self.parts.down.inputs
        gate = np.ascontiguousarray(both[:, :width])
        activate(gate, self.parts.act)
        if self.parts.gated:
            gate *= both[:, width:]
        return self.down(gate)


def _normed(norm: Norm | None, rows: np.ndarray) -> np.ndarray:
    """Return the normalised rows, or the rows unchanged without a norm."""
    if norm is None:
        return rows
    out = np.empty_like(rows)
    norm(rows, out)
    return out
