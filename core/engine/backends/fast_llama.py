"""CPU decode backend for Llama-shaped models, in NumPy: the same numbers as transformers, one token in a fraction of the time.

With one token at a time, a small model on a CPU spends most of its time between the operations, not in them. Here a layer is some thirty
calls on buffers that are there already, and the weights are the network's own, shared and not copied; what is left is little more than the
time that memory needs to hand them over. `python -m tests.benchmarks.fast_llama` measures it.

Written for Llama, Mistral without a sliding window, Qwen2 and Qwen3, in float32 on a CPU. Anything else is refused, and what is accepted
is first compared with the network itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from threadpoolctl import ThreadpoolController
from torch.nn import functional

FAMILIES = ("Llama", "Mistral", "Qwen2", "Qwen3")
STATIC_ROPE = ("default", "linear", "llama3", "yarn")  # the others change their frequencies with the length of the text
OWN_PARTS = ("ForCausalLM", "Model", "DecoderLayer", "Attention", "MLP", "RMSNorm", "RotaryEmbedding")
PLAIN_PARTS = {"ModuleList", "Linear", "Embedding", "SiLU", "SiLUActivation"}
BLOCK = 128  # tokens fed together: enough for matrix products at full speed, while the scores [heads, BLOCK, length] stay small
ONE_BY_ONE = 4  # fewer new tokens than this are fed singly: BLAS is no faster with two or three rows than with one after the other
SMALLEST_RESERVE = 16  # tokens
TOLERANCE = 1e-4  # of the largest logit, or of 1 where all are smaller


@dataclass(slots=True, eq=False)
class State:
    """The keys [layers, KV heads, head size, reserve] and values [layers, KV heads, reserve, head size] of a text, and a place to work.

    Keys lie with the tokens side by side: a third less time per score than with the head size side by side.
    """

    keys: np.ndarray
    values: np.ndarray
    desk: _Desk
    length: int = 0  # tokens held

    @property
    def reserved_bytes(self) -> int:
        """The bytes of both arrays, with the room for tokens to come: at most twice those of the tokens, or of sixteen."""
        return self.keys.nbytes + self.values.nbytes


def reserve_for(tokens: int) -> int:
    """For how many tokens room is made when so many are to be held: for about half as many more, never for more than twice as many.

    A little under the half or a little over, since large arrays shall not have a power of two for a length: rows that far apart would all
    fall onto the same few lines of the processor's cache.
    """
    wanted = max(SMALLEST_RESERVE, tokens + tokens // 2)
    return wanted // 32 * 32 + 16 if tokens >= 32 else wanted // 8 * 8


class FastLlama:
    """A backend of the engine (`core.engine.engine.Backend`). Several states may be run at the same time from several threads."""

    def __init__(self, network: Any) -> None:
        self.heads, self.kv_heads = network.config.num_attention_heads, network.config.num_key_value_heads
        self.head_size = network.model.layers[0].self_attn.head_dim
        self.epsilon = network.config.rms_norm_eps
        self.frequencies = _array(network.model.rotary_emb.inv_freq)
        self.rotary_scale = float(network.model.rotary_emb.attention_scaling)
        self.embedding = _array(network.model.embed_tokens.weight)
        self.layers = [_Layer(layer) for layer in network.model.layers]
        self.norm = _row(network.model.norm.weight)
        self.head = _array(network.lm_head.weight).T
        self._blas = ThreadpoolController().select(user_api="blas").lib_controllers

    @classmethod
    def of(cls, network: Any) -> FastLlama | None:
        """The same model on the same weights, not on a copy; None where not every part of it is known here."""
        if not _known(network):
            return None
        fast = cls(network)
        return fast if fast._agrees_with(network) else None

    def new_state(self) -> State:
        """The state of an empty text."""
        return State(*self._buffers(0), _Desk(self, 1))

    def run(self, token_ids: np.ndarray, state: State | None) -> torch.Tensor:
        """Feed ids [new] behind what the state holds (None: nothing is kept); float32 logits [vocabulary] of the last, a fresh tensor."""
        if len(token_ids) == 0:
            raise ValueError("no tokens to run")
        state = self.new_state() if state is None else state
        self._make_room(state, state.length + len(token_ids))
        # BLAS has threads of its own and waits for the last of them: beside a busy process, two were seen to need 80 ms for what one did in
        # half a millisecond. So it gets as many as torch has, which somebody has thought about.
        for library in self._blas:
            library.set_num_threads(torch.get_num_threads())
        rows = BLOCK if len(token_ids) >= ONE_BY_ONE else 1
        desk = state.desk
        with np.errstate(all="ignore"), torch.inference_mode():  # a broken model's infinities show in the logits, not as warnings
            for start in range(0, len(token_ids), rows):
                block = token_ids[start : start + rows]
                desk = desk if desk.rows == len(block) else _Desk(self, len(block))
                self._feed(block, state, desk)
            last = desk.normed[-1:]
            _rms_norm(desk.hidden[-1:], self.norm, self.epsilon, last)
            logits = np.dot(last[0], self.head)
        return torch.from_numpy(logits)

    def length(self, state: State) -> int:
        """How many tokens the state holds."""
        return state.length

    def extend(self, state: State, count: int) -> bool:
        """Whether `count` more tokens can be fed in one pass: always."""
        return True

    def cut(self, state: State, length: int) -> bool:
        """Forget all but the first `length` tokens; False if there are fewer."""
        if not 0 <= length <= state.length:
            return False
        state.length = length
        return True

    def bytes(self, state: State) -> int:
        """Bytes of the keys and values of the tokens held, without the reserve: layers x 2 x KV heads x head size x 4 x tokens."""
        return len(self.layers) * 2 * self.kv_heads * self.head_size * 4 * state.length

    def held_bytes(self, state: State) -> int:
        """Bytes of the arrays that hold them, with the room for tokens to come."""
        return state.reserved_bytes

    def _make_room(self, state: State, length: int) -> None:
        """See to it that `length` tokens find room, and no more than twice what they need after a long way back.

        Half as much again each time, so that growing costs each token the same in the end.
        """
        reserve, held = state.keys.shape[-1], state.length
        if not length <= reserve <= max(SMALLEST_RESERVE, 2 * length):
            keys, values = self._buffers(reserve_for(length))
            keys[..., :held], values[:, :, :held] = state.keys[..., :held], state.values[:, :, :held]
            state.keys, state.values = keys, values

    def _buffers(self, reserve: int) -> tuple[np.ndarray, np.ndarray]:
        shape = (len(self.layers), self.kv_heads)
        return np.empty((*shape, self.head_size, reserve), np.float32), np.empty((*shape, reserve, self.head_size), np.float32)

    def _feed(self, token_ids: np.ndarray, state: State, desk: _Desk) -> None:
        """Take a block of tokens through all layers; desk.hidden [rows, hidden] is then what the last layer made of them."""
        past, length = state.length, state.length + desk.rows
        hidden, normed, change = desk.hidden, desk.normed, desk.change
        desk.turn_to(past, self.frequencies)
        scores = np.empty((*desk.queries.shape[:3], length), np.float32)
        weights = torch.from_numpy(scores)  # torch's softmax and silu are one call each where NumPy needs five
        hidden[:] = self.embedding[token_ids]
        for layer, keys, values in zip(self.layers, state.keys[:, :, None, :, :length], state.values[:, :, None, :length], strict=True):
            _rms_norm(hidden, layer.input_norm, self.epsilon, normed)
            layer.query(normed, desk.query)
            layer.key(normed, desk.key)
            layer.value(normed, desk.value)
            if layer.head_norms is not None:
                _rms_norm(desk.query_heads, layer.head_norms[0], self.epsilon, desk.query_heads)
                _rms_norm(desk.key_heads, layer.head_norms[1], self.epsilon, desk.key_heads)
            desk.rotate()
            keys[..., past:], values[..., past:, :] = desk.new_keys, desk.new_values
            # A product per head, though heads share keys: for so few rows BLAS is faster at vectors, and the keys are in the cache by then.
            np.matmul(desk.queries, keys, scores)
            if desk.future is not None:
                scores[..., past:] += desk.future
            torch.softmax(weights, -1, out=weights)
            np.matmul(scores, values, desk.mixed)
            layer.output(desk.mixed_rows, change)
            np.add(hidden, change, hidden)
            _rms_norm(hidden, layer.post_attention_norm, self.epsilon, normed)
            layer.gate(normed, desk.gate)
            layer.up(normed, desk.up)
            functional.silu(desk.gate_tensor, inplace=True)
            np.multiply(desk.gate, desk.up, desk.gate)
            layer.down(desk.gate, change)
            np.add(hidden, change, hidden)
        state.length = length

    def _agrees_with(self, network: Any) -> bool:
        """Whether a few tokens, fed together and one at a time, get the network's own logits."""
        ids = np.arange(1, 9) * 7919 % len(self.embedding)
        with torch.inference_mode():
            expected = network(input_ids=torch.from_numpy(ids)[None], use_cache=False).logits[0, 5:].numpy()
        state = self.new_state()
        found = np.stack([self.run(part, state).numpy() for part in (ids[:6], ids[6:7], ids[7:])])
        return bool((np.abs(found - expected) <= TOLERANCE * max(1.0, np.abs(expected).max())).all())


class _Linear:
    """A projection: weight [in, out], a view of the network's own, and bias [1, out] or None."""

    def __init__(self, module: Any) -> None:
        self.weight = _array(module.weight).T
        self.bias = None if module.bias is None else _row(module.bias)

    def __call__(self, rows: np.ndarray, out: np.ndarray) -> None:
        np.dot(rows, self.weight, out)
        if self.bias is not None:
            np.add(out, self.bias, out)


class _Layer:
    """The weights of one layer; norms are [1, size]. Only Qwen3 has norms for the heads of queries and keys."""

    def __init__(self, layer: Any) -> None:
        attention, mlp = layer.self_attn, layer.mlp
        self.input_norm, self.post_attention_norm = _row(layer.input_layernorm.weight), _row(layer.post_attention_layernorm.weight)
        self.query, self.key, self.value = (_Linear(module) for module in (attention.q_proj, attention.k_proj, attention.v_proj))
        self.output, self.gate, self.up, self.down = (_Linear(m) for m in (attention.o_proj, mlp.gate_proj, mlp.up_proj, mlp.down_proj))
        self.head_norms = (_row(attention.q_norm.weight), _row(attention.k_norm.weight)) if hasattr(attention, "q_norm") else None


class _Desk:
    """Buffers for feeding `rows` tokens through the layers, and the views of them that a layer needs. In use by one pass at a time.

    All queries, a head of a token after the other, then all keys lie in one table [lines, head size]: three calls rotate them all.
    """

    def __init__(self, model: FastLlama, rows: int) -> None:
        heads, kv_heads, size = model.heads, model.kv_heads, model.head_size
        group, lines, queries = heads // kv_heads, rows * (heads + kv_heads), rows * heads
        self.rows = rows
        self.hidden, self.normed, self.change = np.empty((3, rows, model.embedding.shape[1]), np.float32)
        self.gate, self.up = np.empty((2, rows, model.layers[0].gate.weight.shape[1]), np.float32)
        self.gate_tensor = torch.from_numpy(self.gate)
        self.future = np.triu(np.full((rows, rows), -np.inf, np.float32), 1) if rows > 1 else None

        self._plain, self._rotated, self._crossed, self._cosines, self._sines = np.empty((5, lines, 2, size // 2), np.float32)
        self._swapped = self._plain[:, ::-1]
        self._owner = np.concatenate([np.repeat(np.arange(rows), heads), np.repeat(np.arange(rows), kv_heads)])
        scale = np.full((lines, 1, 1), model.rotary_scale, np.float32)
        scale[:queries] /= math.sqrt(size)  # what scores are divided by
        self._cosine_scale, self._sine_scale = scale, scale * np.array([[-1], [1]], np.float32)

        plain, rotated = self._plain.reshape(lines, size), self._rotated.reshape(lines, size)
        self.query_heads, self.key_heads = plain[:queries], plain[queries:]
        self.query, self.key = self.query_heads.reshape(rows, -1), self.key_heads.reshape(rows, -1)
        self.value = np.empty((rows, kv_heads * size), np.float32)
        self.mixed_rows = np.empty((rows, heads * size), np.float32)
        # The same as attention wants it: [KV heads, heads per KV head, rows, head size], the keys with their last two the other way round.
        self.queries = rotated[:queries].reshape(rows, kv_heads, group, size).transpose(1, 2, 0, 3)
        self.mixed = self.mixed_rows.reshape(rows, kv_heads, group, size).transpose(1, 2, 0, 3)
        self.new_keys = rotated[queries:].reshape(rows, kv_heads, 1, size).transpose(1, 2, 3, 0)
        self.new_values = self.value.reshape(rows, kv_heads, 1, size).transpose(1, 2, 0, 3)

    def turn_to(self, position: int, frequencies: np.ndarray) -> None:
        """Set the rotation for tokens from `position` on (Su et al. 2021, arXiv 2104.09864)."""
        angles = np.arange(position, position + self.rows, dtype=np.float32)[:, None, None] * frequencies
        np.multiply(np.cos(angles)[self._owner], self._cosine_scale, self._cosines)
        np.multiply(np.sin(angles)[self._owner], self._sine_scale, self._sines)

    def rotate(self) -> None:
        """Rotate queries and keys to their positions: x cos + (x with its halves swapped) sin, the first half's sine negative."""
        np.multiply(self._plain, self._cosines, self._rotated)
        np.multiply(self._swapped, self._sines, self._crossed)
        np.add(self._rotated, self._crossed, self._rotated)


def _rms_norm(rows: np.ndarray, weight: np.ndarray, epsilon: float, out: np.ndarray) -> None:
    """Each of rows [count, size] divided by its root mean square, times weight [1, size]. `out` may be `rows`."""
    if len(rows) == 1:
        scale: Any = 1 / math.sqrt(np.vdot(rows, rows) / rows.size + epsilon)
    else:
        scale = 1 / np.sqrt(np.einsum("ri,ri->r", rows, rows)[:, None] / rows.shape[1] + np.float32(epsilon))
    np.multiply(rows, weight, out)
    np.multiply(out, scale, out)


def _array(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().numpy()


def _row(tensor: torch.Tensor) -> np.ndarray:
    return tensor.detach().numpy()[None]  # NumPy is three times faster where shapes are the same than where one has to be stretched


def _known(network: Any) -> bool:
    """Whether every module, parameter and setting of the network is one that is computed here."""
    family = type(network).__name__.removesuffix("ForCausalLM")
    if family not in FAMILIES or type(network).__module__ != f"transformers.models.{family.lower()}.modeling_{family.lower()}":
        return False
    rotary, config = network.model.rotary_emb, network.config
    return (
        {type(module).__name__ for module in network.modules()} <= PLAIN_PARTS | {family + part for part in OWN_PARTS}
        and all(type(p) is torch.nn.Parameter and p.dtype is torch.float32 and p.device.type == "cpu" for p in network.parameters())
        and getattr(config, "sliding_window", None) is None
        and rotary.rope_type in STATIC_ROPE
        and 2 * rotary.inv_freq.numel() == network.model.layers[0].self_attn.head_dim
        and config.rms_norm_eps > 0
        and not network.training
    )
