"""Ragged passes for Llama-shaped models on a CPU: any number of tokens of any number of requests, their keys and values in blocks.

The matrix products see all rows at once, which is the whole gain of batching: the weights are fetched once for everybody. Only attention
looks at each text by itself. Rows are never padded; the texts of those who write one token are attended to in one product as long as the
longest of them.

The network's own weights, of a network that `core.engine.backends.fast_llama` knows in every part and has compared with transformers. A
small model's are laid out once more, inputs outermost and the projections that read the same rows side by side: with eight rows that is
twice as fast as the order in which they are stored (`python -m tests.benchmarks.serving` measures the whole).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from torch.nn import functional

from core.serving.block_pool import BLOCK_SIZE

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

LAID_OUT_BYTES = 256_000_000  # weights up to this size may be in memory twice


class Part(Protocol):
    """One request's part of a pass."""

    @property
    def token_ids(self) -> Sequence[int]:
        """The new tokens, at least one."""

    @property
    def start(self) -> int:
        """How many tokens stand before them, with keys and values in the blocks."""

    @property
    def block_table(self) -> Sequence[int]:
        """The blocks of the text, with room for the new tokens."""


class BatchRunner(Protocol):
    """Runs passes over many requests and keeps their keys and values in blocks. In use by one server, under the engine's lock.

    within_pass: whether a part may attend to blocks that another part of the same pass fills. padded_tokens: places that the newest pass
    looked at only to mask them, because texts of different length stood in one product. bytes: of the memory for keys and values.
    """

    within_pass: bool
    padded_tokens: int
    bytes: int

    def run(self, parts: Sequence[Part], every: bool = False) -> torch.Tensor:
        """float32 logits [parts, vocabulary] of each part's last token, or [tokens, vocabulary] of every new token."""


def slots_of(table: Sequence[int], start: int, stop: int) -> np.ndarray:
    """Where the tokens [start, stop) of a text lie: int64 places in a row of all blocks."""
    places = np.arange(start, stop)
    return np.asarray(table, dtype=np.int64)[places // BLOCK_SIZE] * BLOCK_SIZE + places % BLOCK_SIZE


class BatchedLlama:
    """See `BatchRunner`. model: one that the engine runs by `FastLlama`; blocks: how many of 16 tokens there are."""

    within_pass = True

    def __init__(self, model: LanguageModel, blocks: int) -> None:
        network = model.network
        anew = model.weight_bytes <= LAID_OUT_BYTES
        self.heads, self.kv_heads = network.config.num_attention_heads, network.config.num_key_value_heads
        self.head_size = network.model.layers[0].self_attn.head_dim
        self.epsilon = network.config.rms_norm_eps
        self.frequencies = network.model.rotary_emb.inv_freq
        self.rotary_scale = float(network.model.rotary_emb.attention_scaling)
        self.embedding = network.model.embed_tokens.weight
        with torch.inference_mode():
            self.layers = [_Layer(layer, anew) for layer in network.model.layers]
            self.norm = network.model.norm.weight
            self.head = _Projection([network.lm_head], anew)
            # One more block than the pool knows: padding of the shorter texts looks there, and what it sees is masked.
            shape = (len(self.layers), (blocks + 1) * BLOCK_SIZE, self.kv_heads * self.head_size)
            self.keys, self.values = torch.zeros(shape), torch.zeros(shape)
        self.padded_tokens = 0
        self.bytes = (self.keys.nbytes + self.values.nbytes) // (blocks + 1) * blocks

    @torch.inference_mode()
    def run(self, parts: Sequence[Part], every: bool = False) -> torch.Tensor:
        batch = _Batch(self, parts)
        self.padded_tokens = batch.padded_tokens
        hidden = functional.embedding(batch.token_ids, self.embedding)
        size, queries = self.head_size, self.heads * self.head_size
        rows, turned = len(hidden), (self.heads + self.kv_heads) * size
        for layer, keys, values in zip(self.layers, self.keys, self.values, strict=True):
            normed = _rms_norm(hidden, layer.input_norm, self.epsilon)
            projected = layer.attention(normed)
            heads = projected[:, :turned].view(rows, -1, size)
            if layer.head_norms is not None:
                query = _rms_norm(heads[:, : self.heads], layer.head_norms[0], self.epsilon)
                heads = torch.cat([query, _rms_norm(heads[:, self.heads :], layer.head_norms[1], self.epsilon)], 1)
            halves = heads.unflatten(2, (2, size // 2))
            rotated = torch.addcmul(halves * batch.cosines, halves.flip(2), batch.sines).view(rows, turned)
            keys.index_copy_(0, batch.new_slots, rotated[:, queries:])
            values.index_copy_(0, batch.new_slots, projected[:, turned:])
            hidden = hidden + layer.output(self._attend(rotated[:, :queries], keys, values, batch))
            gate, up = layer.gate_up(_rms_norm(hidden, layer.post_attention_norm, self.epsilon)).chunk(2, 1)
            hidden = hidden + layer.down(functional.silu(gate) * up)
        wanted = hidden if every else hidden[batch.last_rows]
        return self.head(_rms_norm(wanted, self.norm, self.epsilon))

    def _attend(self, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor, batch: _Batch) -> torch.Tensor:
        """What each new token [rows, heads x head size] gathers from the text before it, the same shape."""
        mixed = torch.empty_like(queries)
        group, size = self.heads // self.kv_heads, self.head_size
        for rows, slots, count, mask in batch.views:
            # [texts, KV heads, tokens, head size]; the query heads that share a KV head stand one behind the other, as if they were tokens.
            texts = len(rows) // count
            own_keys, own_values = (
                table.index_select(0, slots).view(texts, -1, self.kv_heads, size).transpose(1, 2) for table in (keys, values)
            )
            asked = queries[rows].view(texts, count, self.kv_heads, group, size).permute(0, 2, 3, 1, 4).flatten(2, 3)
            found = functional.scaled_dot_product_attention(asked, own_keys, own_values, attn_mask=mask)
            mixed[rows] = found.unflatten(2, (group, count)).permute(0, 3, 1, 2, 4).reshape(len(rows), -1)
        return mixed


class _Batch:
    """What all layers need to know of a pass: ids, rotations, places, and for each view whose rows look at which places.

    A view is a set of rows that are attended to together: everybody who writes one token, or one request's several.
    views: rows int64 [texts x count], slots int64 [texts x length], count: new tokens of a text, mask float [texts or 1, 1, group x count,
    length] or None.
    """

    def __init__(self, model: BatchedLlama, parts: Sequence[Part]) -> None:
        counts = [len(part.token_ids) for part in parts]
        ends = np.cumsum(counts)
        begins = ends - counts
        self.token_ids = torch.from_numpy(np.concatenate([np.asarray(part.token_ids, dtype=np.int64) for part in parts]))
        self.last_rows = torch.from_numpy(ends - 1)
        positions = np.concatenate([np.arange(part.start, part.start + count) for part, count in zip(parts, counts, strict=True)])
        self.new_slots = torch.from_numpy(
            np.concatenate([slots_of(part.block_table, part.start, part.start + count) for part, count in zip(parts, counts, strict=True)])
        )
        # Rotation by position (Su et al. 2021, arXiv 2104.09864): x cos + (x with its halves swapped) sin, the first half's sine negative.
        angles = torch.from_numpy(positions.astype(np.float32))[:, None] * model.frequencies
        scale = model.rotary_scale
        self.cosines = (angles.cos() * scale)[:, None, None, :]
        sines = angles.sin() * scale
        self.sines = torch.stack([-sines, sines], 1)[:, None]

        self.padded_tokens = 0
        self.views: list[tuple[torch.Tensor, torch.Tensor, int, torch.Tensor | None]] = []
        group = model.heads // model.kv_heads
        single = [place for place, count in enumerate(counts) if count == 1]
        if single:
            lengths = np.array([parts[place].start + 1 for place in single])
            longest = int(lengths.max())
            nowhere = model.keys.shape[1] - 1
            slots = np.full((len(single), longest), nowhere)
            for row, place in enumerate(single):
                slots[row, : lengths[row]] = slots_of(parts[place].block_table, 0, int(lengths[row]))
            mask = None
            if int(lengths.min()) < longest:
                self.padded_tokens = int((longest - lengths).sum())
                beyond = torch.from_numpy(np.arange(longest) >= lengths[:, None])
                mask = torch.zeros(beyond.shape).masked_fill_(beyond, -math.inf)[:, None, None, :]
            self.views.append((torch.from_numpy(begins[single]), torch.from_numpy(slots.ravel()), 1, mask))
        for place, part in enumerate(parts):
            if counts[place] > 1:
                stop = part.start + counts[place]
                rows = torch.arange(int(begins[place]), int(ends[place]))
                future = torch.arange(stop) > torch.arange(part.start, stop)[:, None]
                mask = torch.zeros(future.shape).masked_fill_(future, -math.inf).repeat(group, 1)[None, None]
                self.views.append((rows, torch.from_numpy(slots_of(part.block_table, 0, stop)), counts[place], mask))


class _Projection:
    """Linear layers that read the same rows, as one product: [rows, in] -> [rows, out of the first, out of the second, ...]."""

    def __init__(self, modules: Sequence[Any], anew: bool) -> None:
        self._modules = modules
        self._weight = torch.cat([module.weight for module in modules]).T.contiguous() if anew else None
        self._bias = None
        if anew and any(module.bias is not None for module in modules):
            self._bias = torch.cat([torch.zeros(len(module.weight)) if module.bias is None else module.bias for module in modules])

    def __call__(self, rows: torch.Tensor) -> torch.Tensor:
        if self._weight is None:
            out = [functional.linear(rows, module.weight, module.bias) for module in self._modules]
            return out[0] if len(out) == 1 else torch.cat(out, 1)
        return torch.mm(rows, self._weight) if self._bias is None else torch.addmm(self._bias, rows, self._weight)


class _Layer:
    """The weights of one layer. Only Qwen3 has norms for the heads of queries and keys."""

    def __init__(self, layer: Any, anew: bool) -> None:
        attention, mlp = layer.self_attn, layer.mlp
        self.input_norm, self.post_attention_norm = layer.input_layernorm.weight, layer.post_attention_layernorm.weight
        self.attention = _Projection([attention.q_proj, attention.k_proj, attention.v_proj], anew)
        self.output = _Projection([attention.o_proj], anew)
        self.gate_up = _Projection([mlp.gate_proj, mlp.up_proj], anew)
        self.down = _Projection([mlp.down_proj], anew)
        self.head_norms = (attention.q_norm.weight, attention.k_norm.weight) if hasattr(attention, "q_norm") else None


def _rms_norm(rows: torch.Tensor, weight: torch.Tensor, epsilon: float) -> torch.Tensor:
    """Each of rows [..., size] divided by its root mean square, times weight [size]."""
    return functional.rms_norm(rows, (rows.shape[-1],), weight, epsilon)
