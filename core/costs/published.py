"""Shapes of well-known models and data sheets of well-known cards, as their makers published them.

Shapes are facts: a test builds each of them in transformers, without memory, and counts. What a card can do is a promise on paper: whatever
is computed from it is marked as assumed.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.models.shape import ModelShape


@dataclass(frozen=True, slots=True)
class Published:
    """A model by the name people use, and its shape."""

    title: str
    shape: ModelShape


@dataclass(frozen=True, slots=True)
class Card:
    """A graphics card on paper: memory in bytes, bytes and floating point operations (bfloat16, dense) a second at best, watts at most."""

    title: str
    memory_bytes: int
    bytes_per_second: float
    flops: float
    watts: float


def _llama(
    layers: int,
    hidden: int,
    heads: int,
    kv_heads: int,
    intermediate: int,
    vocabulary: int,
    context: int,
    *,
    tied: bool = False,
    head_size: int = 0,
    experts: int = 0,
    chosen: int = 0,
    norms: int = 2,
    window: int | None = None,
    small_per_layer: int = 0,
) -> ModelShape:
    """A model of the Llama family: gated feed-forward, no biases but those in `small_per_layer`, `norms` a layer and one at the end."""
    size = head_size or hidden // heads
    one = 3 * hidden * intermediate
    return ModelShape(
        layer_count=layers,
        attention_layers=layers,
        hidden_size=hidden,
        head_count=heads,
        kv_head_count=kv_heads,
        key_size=size,
        value_size=size,
        intermediate_size=intermediate,
        vocabulary_size=vocabulary,
        context_length=context,
        window=window,
        window_layers=layers // 2 if window else 0,
        attention_parameters=layers * hidden * size * 2 * (heads + kv_heads),
        feed_forward_parameters=layers * (experts * (one + hidden) if experts else one),
        active_feed_forward_parameters=layers * (chosen * one + experts * hidden if experts else one),
        expert_count=experts,
        active_experts=chosen,
        tied_embeddings=tied,
        small_parameters=(norms * layers + 1) * hidden + layers * small_per_layer,
    )


_GPT_2 = ModelShape(
    layer_count=12,
    attention_layers=12,
    hidden_size=768,
    head_count=12,
    kv_head_count=12,
    key_size=64,
    value_size=64,
    intermediate_size=3072,
    vocabulary_size=50257,
    context_length=1024,
    attention_parameters=12 * 4 * 768 * 768,
    feed_forward_parameters=12 * 2 * 768 * 3072,
    active_feed_forward_parameters=12 * 2 * 768 * 3072,
    tied_embeddings=True,
    small_parameters=1024 * 768 + 25 * 2 * 768 + 12 * (3 * 768 + 768 + 3072 + 768),  # positions, norms, biases
)
_GPT_OSS_BIASES = (64 + 2 * 8) * 64 + 2880 + 128 + 64 + 128 * 3 * 2880  # queries, keys, values; output; router; sinks; experts

MODELS: dict[str, Published] = {
    "gpt-2": Published("GPT-2 (2019)", _GPT_2),
    "smollm2-135m": Published("SmolLM2 135M", _llama(30, 576, 9, 3, 1536, 49152, 8192, tied=True)),
    "llama-2-7b": Published("Llama 2 7B", _llama(32, 4096, 32, 32, 11008, 32000, 4096)),
    "mistral-7b": Published("Mistral 7B v0.3", _llama(32, 4096, 32, 8, 14336, 32768, 32768)),
    "llama-3.1-8b": Published("Llama 3.1 8B", _llama(32, 4096, 32, 8, 14336, 128256, 131072)),
    "gemma-2-9b": Published("Gemma 2 9B", _llama(42, 3584, 16, 8, 14336, 256000, 8192, tied=True, head_size=256, norms=4, window=4096)),
    "mixtral-8x7b": Published("Mixtral 8x7B", _llama(32, 4096, 32, 8, 14336, 32000, 32768, experts=8, chosen=2)),
    "llama-3.1-70b": Published("Llama 3.1 70B", _llama(80, 8192, 64, 8, 28672, 128256, 131072)),
    "gpt-oss-120b": Published(
        "gpt-oss-120b",
        _llama(36, 2880, 64, 8, 2880, 201088, 131072, head_size=64, experts=128, chosen=4, window=128, small_per_layer=_GPT_OSS_BIASES),
    ),
    "llama-3.1-405b": Published("Llama 3.1 405B", _llama(126, 16384, 128, 8, 53248, 128256, 131072)),
}

CARDS: dict[str, Card] = {
    "laptop": Card("A laptop with 16 GB", 16 * 10**9, 100e9, 4e12, 45),
    "l4": Card("NVIDIA L4, 24 GB", 24 * 10**9, 300e9, 121e12, 72),
    "rtx-4090": Card("NVIDIA RTX 4090, 24 GB", 24 * 10**9, 1008e9, 165e12, 450),
    "a100": Card("NVIDIA A100, 80 GB", 80 * 10**9, 2039e9, 312e12, 400),
    "h100": Card("NVIDIA H100, 80 GB", 80 * 10**9, 3350e9, 989e12, 700),
    "h200": Card("NVIDIA H200, 141 GB", 141 * 10**9, 4800e9, 989e12, 700),
}
