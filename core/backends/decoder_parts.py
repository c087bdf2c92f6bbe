"""The parts of a decoder as plain arrays and numbers, with which `FastDecoder` computes.

`core.backends.decoder_families` reads a network into these parts, and the computation does not depend on the family. The arrays are the
network's weights, not copies; only vectors (norms, biases) may be copies.
"""

from __future__ import annotations

from dataclasses import dataclass
from threading import Lock

import numpy as np
import torch
from torch.nn import functional


class Table:
    """Rows of an embedding, as float32."""

    def __init__(self, weight: torch.Tensor) -> None:
        self._weight = weight
        self._rows = weight.numpy() if weight.dtype is torch.float32 else None

    def __getitem__(self, numbers: np.ndarray) -> np.ndarray:
        if self._rows is not None:
            return self._rows[numbers]
        return functional.embedding(torch.from_numpy(numbers), self._weight).float().numpy()


class Widened:
    """Weights in 16 bits as float32, widened once for all blocks of tokens that go through the layers together.

    blocks: how many. A weight is dropped after the last of them has asked for it.
    """

    def __init__(self, blocks: int) -> None:
        self._blocks, self._lock = blocks, Lock()
        self._held: dict[int, tuple[torch.Tensor, int]] = {}  # by the address of the stored weight: the weight, and the blocks that need it

    def of(self, stored: torch.Tensor) -> torch.Tensor:
        """Return this weight as float32."""
        with self._lock:  # another block waits, instead of reading the same memory
            weight, left = self._held.pop(stored.data_ptr(), (None, self._blocks))
            weight = stored.float() if weight is None else weight
            if left > 1:
                self._held[stored.data_ptr()] = weight, left - 1
            return weight


def activate(rows: np.ndarray, act: str) -> None:
    """Apply the activation in place, with torch, because NumPy needs five calls."""
    tensor = torch.from_numpy(rows)
    if act == "silu":
        functional.silu(tensor, inplace=True)
    elif act == "relu":
        functional.relu_(tensor)
    else:
        tensor.copy_(functional.gelu(tensor, approximate="tanh" if act == "gelu_tanh" else "none"))


@dataclass(frozen=True, slots=True, eq=False)
class Norm:
    """Root mean square norm (arXiv 1910.07467), or a layer norm (arXiv 1607.06450) if `centred`.

    weight: [groups, size]: one row for a whole vector or shared by all heads, else one row per head; bias: same shape, or None.
    """

    weight: np.ndarray
    bias: np.ndarray | None
    epsilon: float
    centred: bool

    def __call__(self, rows: np.ndarray, out: np.ndarray) -> None:
        """Write the norm of rows [..., size] into `out` of the same shape, which may be `rows`."""
        if self.centred:
            np.subtract(rows, rows.mean(-1, keepdims=True), out)
            rows = out
        if rows.size == rows.shape[-1]:
            scale: float | np.ndarray = float(1 / np.sqrt(np.vdot(rows, rows) / rows.size + self.epsilon))
        else:
            scale = 1 / np.sqrt(np.einsum("...i,...i->...", rows, rows)[..., None] / rows.shape[-1] + np.float32(self.epsilon))
        np.multiply(rows, self.weight, out)
        np.multiply(out, scale, out)
        if self.bias is not None:
            np.add(out, self.bias, out)


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """A linear layer. weight: the network's own tensor, [out, in]; bias float32 [out] or None.

    order: for outputs packed head by head, int64 [out]: their indices in the order queries, keys, values.
    """

    weight: torch.Tensor
    bias: np.ndarray | None
    order: np.ndarray | None = None

    @property
    def outputs(self) -> int:
        """Number of outputs."""
        return self.weight.shape[0]

    @property
    def inputs(self) -> int:
        """Number of inputs."""
        return self.weight.shape[1]


@dataclass(frozen=True, slots=True, eq=False)
class Rotary:
    """Rotation by position (arXiv 2104.09864) of the first 2 x len(frequencies) numbers of a head; a pair has one number in each half."""

    frequencies: np.ndarray
    scale: float


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One layer: attention, then (or, if `parallel`, beside it) the feed-forward part.

    attention_norm, feed_forward_norm: of the input, None for none; a parallel layer without the second uses attention's input for both.
    attention_post_norm, feed_forward_post_norm: of the output, before it is added.
    qkv: the projections whose outputs, side by side, are all queries, all keys, all values. head_norms: of queries and keys.
    rotary: index of the decoder's rotation, None for none. window: how many tokens a token sees, itself included; None for all before it.
    gated: whether `gate_up` returns a gate and as many numbers to multiply it with. act: "silu", "gelu", "gelu_tanh" or "relu".
    """

    qkv: tuple[Projection, ...]
    scaling: float
    o: Projection
    gate_up: tuple[Projection, ...]
    act: str
    down: Projection
    attention_norm: Norm | None = None
    attention_post_norm: Norm | None = None
    feed_forward_norm: Norm | None = None
    feed_forward_post_norm: Norm | None = None
    head_norms: tuple[Norm, Norm] | None = None
    rotary: int | None = None
    softcap: float | None = None
    window: int | None = None
    gated: bool = False
    parallel: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """A whole decoder. embedding: the network's own [vocabulary, hidden]; positions: learned ones [positions, hidden] or None.

    embedding_scale, residual_scale, logit_scale: factors of the embeddings, of what each part adds, and of the logits.
    """

    heads: int
    kv_heads: int
    head_size: int
    embedding: torch.Tensor
    layers: tuple[Layer, ...]
    norm: Norm
    head: Projection
    positions: torch.Tensor | None = None
    rotaries: tuple[Rotary, ...] = ()
    embedding_scale: float = 1.0
    residual_scale: float = 1.0
    logit_scale: float = 1.0
    logit_softcap: float | None = None

    @property
    def hidden_size(self) -> int:
        """Numbers per token between the layers."""
        return self.embedding.shape[1]

    @property
    def projections(self) -> tuple[Projection, ...]:
        """All linear layers, in the order of computation, the head last."""
        layers = (part for layer in self.layers for part in (*layer.qkv, layer.o, *layer.gate_up, layer.down))
        return *layers, self.head

    @property
    def weights_per_token(self) -> int:
        """Number of weights that are read for one token."""
        return sum(part.inputs * part.outputs for part in self.projections)

    @property
    def intermediate_size(self) -> int:
        """Width of the widest feed-forward part, without its gate."""
        return max(layer.down.inputs for layer in self.layers)

    @property
    def window(self) -> int | None:
        """How many tokens a layer with a sliding window sees; the same in all such layers; None without one."""
        return next((layer.window for layer in self.layers if layer.window), None)
