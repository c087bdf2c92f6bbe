"""The parts that decoders are made of, as plain arrays and numbers: what `FastDecoder` computes with.

A decoder is read into these once (`core.backends.decoder_families`); whoever computes with them knows no family by name. The arrays
are the network's own weights, shared and not copied; only vectors (norms, biases) may be copies.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True, slots=True, eq=False)
class Norm:
    """Root mean square norm (arXiv 1910.07467), or a layer norm (arXiv 1607.06450) where `centred`.

    weight: [groups, size], one row for a vector that is normed as a whole or for all heads alike, else a row per head; bias alike or None.
    """

    weight: np.ndarray
    bias: np.ndarray | None
    epsilon: float
    centred: bool

    def __call__(self, rows: np.ndarray, out: np.ndarray) -> None:
        """Norm rows [..., size] into `out` of the same shape, which may be `rows`."""
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

    order: where the outputs are packed head by head, int64 [out]: which of them comes first, second, ... as queries, keys, values.
    """

    weight: torch.Tensor
    bias: np.ndarray | None
    order: np.ndarray | None = None

    @property
    def outputs(self) -> int:
        """How many numbers come out."""
        return self.weight.shape[0]

    @property
    def inputs(self) -> int:
        """How many numbers go in."""
        return self.weight.shape[1]


@dataclass(frozen=True, slots=True, eq=False)
class Rotary:
    """Rotation by position (arXiv 2104.09864) of the first 2 x len(frequencies) numbers of a head; of each pair, one in either half."""

    frequencies: np.ndarray
    scale: float


@dataclass(frozen=True, slots=True, eq=False)
class Layer:
    """One layer: attention, then (or, where `parallel`, beside it) the feed-forward part.

    attention_norm, feed_forward_norm: of what goes in, None where it goes in as it is; a parallel layer without a norm of its own for the
    feed-forward part takes what attention took. attention_post_norm, feed_forward_post_norm: of what comes out, before it is added.
    inward: the projections whose outputs, side by side, are all queries, all keys, all values. head_norms: of queries and keys.
    rotary: which of the decoder's rotations, None for none. window: how many tokens a token sees, itself included; None for all before it.
    gated: whether `expand` gives a gate and as many numbers that it lets through. act: "silu", "gelu", "gelu_tanh" or "relu".
    """

    attention_norm: Norm | None
    inward: tuple[Projection, ...]
    head_norms: tuple[Norm, Norm] | None
    rotary: int | None
    scaling: float
    softcap: float | None
    window: int | None
    outward: Projection
    attention_post_norm: Norm | None
    feed_forward_norm: Norm | None
    expand: tuple[Projection, ...]
    gated: bool
    act: str
    contract: Projection
    feed_forward_post_norm: Norm | None
    parallel: bool


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """A whole decoder. embedding: the network's own [vocabulary, hidden]; positions: learned ones [positions, hidden] or None.

    embedding_scale, residual_scale, logit_scale: factors of what is embedded, of what each part adds, and of the logits.
    """

    heads: int
    kv_heads: int
    head_size: int
    embedding: torch.Tensor
    embedding_scale: float
    positions: torch.Tensor | None
    rotaries: tuple[Rotary, ...]
    layers: tuple[Layer, ...]
    residual_scale: float
    norm: Norm
    head: Projection
    logit_scale: float
    logit_softcap: float | None

    @property
    def hidden_size(self) -> int:
        """Numbers per token between the layers."""
        return self.embedding.shape[1]

    @property
    def projections(self) -> tuple[Projection, ...]:
        """All linear layers, in the order in which a token goes through them, the head last."""
        layers = (part for layer in self.layers for part in (*layer.inward, layer.outward, *layer.expand, layer.contract))
        return *layers, self.head

    @property
    def weights_per_token(self) -> int:
        """How many weights one token's products read."""
        return sum(part.inputs * part.outputs for part in self.projections)

    @property
    def between(self) -> int:
        """Numbers that the widest feed-forward part works on at a time, gates aside."""
        return max(layer.contract.inputs for layer in self.layers)

    @property
    def window(self) -> int | None:
        """How many tokens a layer with a sliding window sees; the same in all of them."""
        return next((layer.window for layer in self.layers if layer.window), None)
