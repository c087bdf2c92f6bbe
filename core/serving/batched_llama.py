"""Ragged passes for Llama-shaped models on a CPU: any number of tokens of any number of requests, their keys and values in blocks.

The matrix products see all rows at once, which is the whole gain of batching: the weights are fetched once for everybody. Only attention
looks at each text by itself. Rows are never padded; the texts of those who write one token are attended to in one product as long as the
longest of them.

The network's own weights, of a network that `core.engine.backends.fast_decoder` knows in every part and has compared with transformers. In
a small model those projections that read the same rows are laid side by side, which takes a copy; in a large one the calls weigh little.
`python -m tests.benchmarks.serving` measures the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import torch
from torch.nn import functional

from core.serving.block_pool import BLOCK_SIZE, blocks_for

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

COPIED_BYTES = 256_000_000  # weights up to this size may be in memory twice
FEW_ROWS = 4  # up to here torch's own linear is the quickest product, beyond it weights times rows: measured with weights out of the cache


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
    """See `BatchRunner`. model: one that the engine runs by a `FastDecoder` and that is a plain Llama; blocks: how many of 16 tokens."""

    within_pass = True

    def __init__(self, model: LanguageModel, blocks: int) -> None:
        network = model.network
        copied = model.weight_bytes <= COPIED_BYTES
        self.heads, self.kv_heads = network.config.num_attention_heads, network.config.num_key_value_heads
        self.head_size = network.model.layers[0].self_attn.head_dim
        self.epsilon = network.config.rms_norm_eps
        self.frequencies = network.model.rotary_emb.inv_freq.detach().numpy()
        self.rotary_scale = float(network.model.rotary_emb.attention_scaling)
        self.embedding = network.model.embed_tokens.weight.detach().numpy()
        with torch.inference_mode():
            self.layers = [_Layer(layer, copied) for layer in network.model.layers]
            self.norm = network.model.norm.weight.detach().numpy()
            self.head = _Projection([network.lm_head], copied)
        shape = (len(self.layers), blocks * BLOCK_SIZE, self.kv_heads * self.head_size)
        self.keys, self.values = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.padded_tokens = 0
        self.bytes = self.keys.nbytes + self.values.nbytes

    @torch.inference_mode()
    def run(self, parts: Sequence[Part], every: bool = False) -> torch.Tensor:
        batch = _Batch(self, parts)
        self.padded_tokens = batch.padded_tokens
        hidden = self.embedding[batch.token_ids]
        size, queries = self.head_size, self.heads * self.head_size
        rows, turned = len(hidden), (self.heads + self.kv_heads) * size
        with np.errstate(all="ignore"):  # a broken model's infinities show in the logits, not as warnings
            for layer, keys, values in zip(self.layers, self.keys, self.values, strict=True):
                projected = layer.attention(_rms_norm(hidden, layer.input_norm, self.epsilon))
                heads = projected[:, :turned].reshape(rows, -1, 2, size // 2)
                if layer.head_norms is not None:
                    lines = heads.reshape(rows, -1, size)
                    asking = _rms_norm(lines[:, : self.heads], layer.head_norms[0], self.epsilon)
                    asked = _rms_norm(lines[:, self.heads :], layer.head_norms[1], self.epsilon)
                    heads = np.concatenate([asking, asked], 1).reshape(heads.shape)
                rotated = heads * batch.cosines
                rotated += heads[:, :, ::-1] * batch.sines
                rotated = rotated.reshape(rows, turned)
                keys[batch.new_slots], values[batch.new_slots] = rotated[:, queries:], projected[:, turned:]
                hidden = hidden + layer.output(self._attend(rotated[:, :queries], keys, values, batch))
                gate_up = torch.from_numpy(layer.gate_up(_rms_norm(hidden, layer.post_attention_norm, self.epsilon)))
                gate, up = gate_up.chunk(2, 1)
                hidden = hidden + layer.down((functional.silu(gate) * up).numpy())
            wanted = hidden if every else hidden[batch.last_rows]
            return torch.from_numpy(self.head(_rms_norm(wanted, self.norm, self.epsilon)))

    def _attend(self, queries: np.ndarray, keys: np.ndarray, values: np.ndarray, batch: _Batch) -> np.ndarray:
        """What each new token [rows, heads x head size] gathers from the text before it, the same shape."""
        mixed = np.empty_like(queries)
        group, size = self.heads // self.kv_heads, self.head_size
        wide = (len(keys) // BLOCK_SIZE, BLOCK_SIZE * self.kv_heads * size)
        for rows, blocks, count, mask in batch.views:
            # [texts, KV heads, tokens, head size]; the query heads that share a KV head stand one behind the other, as if they were tokens.
            texts = len(rows) // count
            own_keys, own_values = (
                torch.from_numpy(table.reshape(wide).take(blocks, 0)).view(texts, -1, self.kv_heads, size).transpose(1, 2)
                for table in (keys, values)
            )
            asked = torch.from_numpy(queries[rows]).view(texts, count, self.kv_heads, group, size).permute(0, 2, 3, 1, 4).flatten(2, 3)
            found = functional.scaled_dot_product_attention(asked, own_keys, own_values, attn_mask=mask)
            mixed[rows] = found.unflatten(2, (group, count)).permute(0, 3, 1, 2, 4).reshape(len(rows), -1).numpy()
        return mixed


class _Batch:
    """What all layers need to know of a pass: ids, rotations, places, and for each view whose rows look at which blocks.

    A view is a set of rows that are attended to together: everybody who writes one token, or one request's several.
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
        # Rotation by position (Su et al. 2021, arXiv 2104.09864): x cos + (x with its halves swapped) sin, the first half's sine negative.
        angles = positions.astype(np.float32)[:, None] * model.frequencies
        sines = np.sin(angles) * np.float32(model.rotary_scale)
        self.cosines = (np.cos(angles) * np.float32(model.rotary_scale))[:, None, None, :]
        self.sines = np.stack([-sines, sines], 1)[:, None]

        self.padded_tokens = 0
        self.views: list[tuple[np.ndarray, np.ndarray, int, torch.Tensor]] = []
        group = model.heads // model.kv_heads
        single = [place for place, count in enumerate(counts) if count == 1]
        if single:
            lengths = np.array([parts[place].start + 1 for place in single])
            longest = blocks_for(int(lengths.max()))
            blocks = np.zeros((len(single), longest), dtype=np.int64)  # beyond a text's own blocks any block will do: it is masked
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
    """0 where a place may be looked at, -inf where not, of the same shape."""
    return torch.from_numpy(np.where(unseen, np.float32(-np.inf), np.float32(0)))


class _Projection:
    """Linear layers that read the same rows, as one product where `copied`: [rows, in] -> [rows, all their outputs]."""

    def __init__(self, modules: Sequence[Any], copied: bool) -> None:
        self._parts = [(module.weight.detach(), None if module.bias is None else module.bias.detach()) for module in modules]
        if copied and len(modules) > 1:
            zeros = [torch.zeros(len(weight)) if bias is None else bias for weight, bias in self._parts]
            bias = torch.cat(zeros) if any(bias is not None for _, bias in self._parts) else None
            self._parts = [(torch.cat([weight for weight, _ in self._parts]), bias)]

    def __call__(self, rows: np.ndarray) -> np.ndarray:
        out = [self._product(rows, *part) for part in self._parts]
        return out[0] if len(out) == 1 else np.concatenate(out, 1)

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
    """The weights of one layer. Only Qwen3 has norms for the heads of queries and keys."""

    def __init__(self, layer: Any, copied: bool) -> None:
        attention, mlp = layer.self_attn, layer.mlp
        self.input_norm = layer.input_layernorm.weight.detach().numpy()
        self.post_attention_norm = layer.post_attention_layernorm.weight.detach().numpy()
        self.attention = _Projection([attention.q_proj, attention.k_proj, attention.v_proj], copied)
        self.output = _Projection([attention.o_proj], copied)
        self.gate_up = _Projection([mlp.gate_proj, mlp.up_proj], copied)
        self.down = _Projection([mlp.down_proj], copied)
        norms = (attention.q_norm, attention.k_norm) if hasattr(attention, "q_norm") else None
        self.head_norms = None if norms is None else tuple(norm.weight.detach().numpy() for norm in norms)


def _rms_norm(rows: np.ndarray, weight: np.ndarray, epsilon: float) -> np.ndarray:
    """Each of rows [..., size] divided by its root mean square, times weight [size]."""
    scale = 1 / np.sqrt(np.einsum("...i,...i->...", rows, rows)[..., None] / rows.shape[-1] + np.float32(epsilon))
    out: np.ndarray = rows * weight
    out *= scale
    return out
