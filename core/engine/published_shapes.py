"""Published model shapes, as given by their makers: the fields of `ModelShape` by model name.

A test builds each of them in transformers without weights in memory and counts the parameters.
"""

from __future__ import annotations

from typing import Any

from core.engine.attention_layers import AttentionLayers


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
) -> dict[str, Any]:
    """Return a Llama-like shape: gated feed-forward, biases only in `small_per_layer`, `norms` norms a layer and one at the end."""
    size = head_size or hidden // heads
    per_expert = 3 * hidden * intermediate
    return dict(
        layer_count=layers,
        attention=_groups(layers, kv_heads * 2 * size, heads * 2 * size, window),
        hidden_size=hidden,
        head_count=heads,
        kv_head_count=kv_heads,
        key_size=size,
        value_size=size,
        intermediate_size=intermediate,
        vocabulary_size=vocabulary,
        context_length=context,
        attention_parameters=layers * hidden * size * 2 * (heads + kv_heads),
        feed_forward_parameters=layers * (experts * (per_expert + hidden) if experts else per_expert),
        active_feed_forward_parameters=layers * (chosen * per_expert + experts * hidden if experts else per_expert),
        expert_count=experts,
        active_experts=chosen,
        tied_embeddings=tied,
        small_parameters=(norms * layers + 1) * hidden + layers * small_per_layer,
    )


def _groups(layers: int, cached: int, products: int, window: int | None) -> tuple[AttentionLayers, ...]:
    """Return the attention of all layers; with a window, of every other layer beginning with the first."""
    if not window:
        return (AttentionLayers(layers, cached, products),)
    return AttentionLayers(layers // 2, cached, products, window), AttentionLayers(layers - layers // 2, cached, products)


_GPT_2: dict[str, Any] = dict(
    layer_count=12,
    attention=(AttentionLayers(12, 2 * 768, 2 * 768),),
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

SHAPES: dict[str, dict[str, Any]] = {
    "gpt-2": _GPT_2,
    "smollm2-135m": _llama(30, 576, 9, 3, 1536, 49152, 8192, tied=True),
    "llama-2-7b": _llama(32, 4096, 32, 32, 11008, 32000, 4096),
    "mistral-7b": _llama(32, 4096, 32, 8, 14336, 32768, 32768),
    "llama-3.1-8b": _llama(32, 4096, 32, 8, 14336, 128256, 131072),
    "gemma-2-9b": _llama(42, 3584, 16, 8, 14336, 256000, 8192, tied=True, head_size=256, norms=4, window=4096),
    "mixtral-8x7b": _llama(32, 4096, 32, 8, 14336, 32000, 32768, experts=8, chosen=2),
    "llama-3.1-70b": _llama(80, 8192, 64, 8, 28672, 128256, 131072),
    "gpt-oss-120b": _llama(
        36, 2880, 64, 8, 2880, 201088, 131072, head_size=64, experts=128, chosen=4, window=128, small_per_layer=_GPT_OSS_BIASES
    ),
    "llama-3.1-405b": _llama(126, 16384, 128, 8, 53248, 128256, 131072),
}
