"""Published shapes of well-known models and data sheets of accelerators.

Shapes are verified: a test builds each in transformers without memory and counts. Data sheets are not verified, so all values computed from
them are marked as assumed.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

from core.engine.shape import ModelShape
from core.message import Message


@dataclass(frozen=True, slots=True)
class Published:
    """A model by the name people use, its shape, and how its maker ships it: bits per weight of the experts and of all other weights."""

    title: str
    shape: ModelShape
    expert_bits: float = 16.0
    other_bits: float = 16.0

    @property
    def item_size(self) -> float:
        """Return the published bytes per weight, the mean over all weights."""
        shape = self.shape
        idle = shape.feed_forward_parameters - shape.active_feed_forward_parameters  # weights of the experts that a token does not use
        experts = idle * shape.expert_count // max(1, shape.expert_count - shape.active_experts)
        remainder = shape.parameter_count - experts
        return (experts * self.expert_bits + remainder * self.other_bits) / 8 / shape.parameter_count


@dataclass(frozen=True, slots=True)
class Card:
    """A graphics card on paper: memory in bytes, bytes and floating point operations (bfloat16, dense) a second at best, watts at most."""

    title: str
    memory_bytes: int
    bytes_per_second: float
    flops: float
    watts: float


def _published(
    title: str, sizes: str, norms: int = 2, small: int = 0, kind: str = "llama", window: int = 0, expert_bits: float = 16.0, **more: Any
) -> Published:
    """Return a model from the numbers in its configuration.

    sizes: layers, hidden size, heads, KV heads, intermediate size, vocabulary, context. norms: of a layer; with one more at the end, and
    `small` other numbers, they are all parameters outside of matrices. window: of every other layer, from the first on. more: further
    fields of the configuration.
    """
    names = "num_hidden_layers hidden_size num_attention_heads num_key_value_heads intermediate_size vocab_size max_position_embeddings"
    config = SimpleNamespace(model_type=kind, **dict(zip(names.split(), map(int, sizes.split()), strict=True)), **more)
    if window:
        config.sliding_window = window
        config.layer_types = ["sliding_attention", "full_attention"] * (config.num_hidden_layers // 2)
    small += (norms * config.num_hidden_layers + 1) * config.hidden_size
    return Published(title, replace(ModelShape.from_config(config), small_parameters=small), expert_bits)


MXFP4_BITS = 4.25  # four bits for each number, and eight for the scale that 32 of them share (OCP Microscaling Formats 1.0)
_GPT_2_SMALL = 1024 * 768 + 25 * 768 + 12 * (3 * 768 + 768 + 3072 + 768)  # positions, biases of norms and of matrices
_GPT_OSS_SMALL = 36 * ((64 + 2 * 8) * 64 + 2880 + 128 + 64 + 128 * 3 * 2880)  # biases of attention and router; sinks; biases of experts
MODELS: dict[str, Published] = {
    "gpt-2": _published("GPT-2 (2019)", "12 768 12 12 3072 50257 1024", 2, _GPT_2_SMALL, "gpt2", tie_word_embeddings=True),
    "smollm2-135m": _published("SmolLM2 135M", "30 576 9 3 1536 49152 8192", tie_word_embeddings=True),
    "llama-2-7b": _published("Llama 2 7B", "32 4096 32 32 11008 32000 4096"),
    "mistral-7b": _published("Mistral 7B v0.3", "32 4096 32 8 14336 32768 32768"),
    "llama-3.1-8b": _published("Llama 3.1 8B", "32 4096 32 8 14336 128256 131072"),
    "gemma-2-9b": _published("Gemma 2 9B", "42 3584 16 8 14336 256000 8192", 4, window=4096, head_dim=256, tie_word_embeddings=True),
    "mixtral-8x7b": _published("Mixtral 8x7B", "32 4096 32 8 14336 32000 32768", num_local_experts=8, num_experts_per_tok=2),
    "llama-3.1-70b": _published("Llama 3.1 70B", "80 8192 64 8 28672 128256 131072"),
    "gpt-oss-120b": _published(
        "gpt-oss-120b",
        "36 2880 64 8 2880 201088 131072",
        small=_GPT_OSS_SMALL,
        window=128,
        expert_bits=MXFP4_BITS,
        head_dim=64,
        num_local_experts=128,
        num_experts_per_tok=4,
    ),
    "llama-3.1-405b": _published("Llama 3.1 405B", "126 16384 128 8 53248 128256 131072"),
}

CARDS: dict[str, Card] = {
    "laptop": Card(Message("A laptop with 16 GB"), 16 * 10**9, 100e9, 4e12, 45),
    "l4": Card("NVIDIA L4, 24 GB", 24 * 10**9, 300e9, 121e12, 72),
    "rtx-4090": Card("NVIDIA RTX 4090, 24 GB", 24 * 10**9, 1008e9, 165e12, 450),
    "a100": Card("NVIDIA A100, 80 GB", 80 * 10**9, 2039e9, 312e12, 400),
    "h100": Card("NVIDIA H100, 80 GB", 80 * 10**9, 3350e9, 989e12, 700),
    "h200": Card("NVIDIA H200, 141 GB", 141 * 10**9, 4800e9, 989e12, 700),
}
