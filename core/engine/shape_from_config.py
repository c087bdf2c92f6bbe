"""Guess the shape of a network from its transformers configuration, without weights.

Every number is looked up under all names that architectures use. A configuration whose layers differ is read layer by layer.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any, NamedTuple

from core.engine.attention_layers import AttentionLayers

UNBOUNDED_CONTEXT = 1_048_576  # for architectures whose memory does not grow with the text
WITHOUT_ATTENTION = {"linear_attention", "conv", "mlp", "moe"}  # kinds of layers in `layer_types`
ALONE = {"mlp", "moe"}  # kinds of layers that are a feed-forward block alone
# Architectures whose feed-forward block has two matrices. All others are counted with a third one, the gate.
_UNGATED = set("gpt2 gpt_bigcode gpt_neo gpt_neox gpt_neox_japanese gptj codegen bloom mpt falcon opt phi starcoder2 persimmon".split())
# Architectures whose first position is the one after the padding id.
_AFTER_PADDING = set("roberta roberta-prelayernorm xlm-roberta xlm-roberta-xl xmod camembert data2vec-text".split())
_STATE_SPACE = {"mamba", "mamba2", "falcon_mamba", "rwkv", "xlstm"}
_HIDDEN = ("hidden_size", "n_embd", "d_model")
LAYERS = ("num_hidden_layers", "n_layer", "n_layers", "num_layers")
EXPERTS = ("num_local_experts", "n_routed_experts", "num_experts")


def fields_from_config(config: Any) -> dict[str, Any]:
    """Return the fields of `ModelShape` for this configuration, or for the part of it that describes the text model."""
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    layers = _layers(text)
    attending = [layer for layer in layers if layer.kind not in WITHOUT_ATTENTION]
    usual = next((layer for layer in attending if not layer.attention.window), layers[0])
    groups = Counter(layer.attention for layer in attending)  # one for each kind of layer, in the order of their first layers
    context = first_number(text, "max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length")
    context -= first_number(text, "pad_token_id") + 1 if text.model_type in _AFTER_PADDING else 0
    return dict(
        layer_count=len(layers),
        attention=tuple(replace(group, layer_count=count) for group, count in groups.items()),
        hidden_size=first_number(text, *_HIDDEN),
        intermediate_size=layers[0].intermediate,
        vocabulary_size=int(text.vocab_size),
        context_length=context or UNBOUNDED_CONTEXT,
        attention_parameters=sum(layer.mixer for layer in layers if layer.kind not in ALONE),
        tied_embeddings=bool(getattr(text, "tie_word_embeddings", False)),
        **usual.sizes,
        **_feed_forward(text, layers),
    )


def first_number(config: Any, *names: str, default: int = 0) -> int:
    """Return the first of these attributes that is a number, else `default`."""
    values = (getattr(config, name, None) for name in names)
    return next((int(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool)), default)


class _Layer(NamedTuple):
    """One layer as its configuration describes it.

    sizes: fields of `ModelShape`, if this is the usual layer. mixer: weights in the matrices of attention, or of what replaces it.
    intermediate: size of a feed-forward block without experts.
    """

    kind: str
    attention: AttentionLayers
    sizes: dict[str, int]
    mixer: int
    intermediate: int


def _layers(text: Any) -> list[_Layer]:
    """Return the layers of this text configuration from the first to the last."""
    configs = list(getattr(text, "per_layer_config", None) or [text] * first_number(text, *LAYERS))
    slides = [getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True) for config in configs]
    kinds = list(getattr(text, "layer_types", None) or ["sliding_attention" if each else "full_attention" for each in slides])
    if text.model_type in _STATE_SPACE:
        kinds = ["linear_attention"] * len(configs)
    shared = first_number(text, *LAYERS) - first_number(text, "num_kv_shared_layers")
    return [_layer(config, kind, index, index >= shared) for index, (config, kind) in enumerate(zip(configs, kinds, strict=False))]


def _layer(config: Any, kind: str, index: int, shared: bool) -> _Layer:
    """Return one layer. shared: whether it reads the keys and values of an earlier layer."""
    hidden = first_number(config, *_HIDDEN)
    heads = first_number(config, "num_attention_heads", "n_head", "n_heads", default=1)
    key_size = value_size = first_number(config, "attention_head_dim", "head_dim") or hidden // max(heads, 1)
    kv_heads = first_number(config, "num_key_value_heads", "num_kv_heads") or heads
    if getattr(config, "multi_query", False) and not getattr(config, "new_decoder_architecture", False):
        kv_heads = 1
    latent = unfolding = 0
    squeezed, rotary = first_number(config, "kv_lora_rank"), first_number(config, "qk_rope_head_dim")
    if squeezed and rotary:  # DeepSeek's attention: one compressed vector per position is expanded to every head's key and value
        key_size, value_size, kv_heads = int(config.qk_nope_head_dim) + rotary, int(config.v_head_dim), heads
        latent, unfolding = squeezed + rotary, squeezed * heads * (key_size - rotary + value_size)
    cached, products = latent or kv_heads * (key_size + value_size), heads * (key_size + value_size)
    queries, rank = heads * key_size, first_number(config, "q_lora_rank") if latent else 0
    mixer = (hidden * rank + rank * queries if rank else hidden * queries) + hidden * cached + unfolding + heads * value_size * hidden
    if kind == "conv":
        mixer = 4 * hidden * hidden
    if getattr(config, "model_type", "") in _STATE_SPACE:
        inner = first_number(config, "intermediate_size") or first_number(config, "expand", default=2) * hidden
        rank, state = first_number(config, "time_step_rank"), first_number(config, "state_size")
        mixer = hidden * 2 * inner + inner * (rank + 2 * state) + rank * inner + inner * hidden
    window = "attention_chunk_size" if "chunked" in kind else "sliding_window" if "sliding" in kind else ""
    if kind == "indexed_attention":  # an indexer keeps a key of its own, and its heads compare it with every position
        index_size = first_number(config, "index_head_dim")
        cached, products = cached + index_size, products + (index_size + 1) * first_number(config, "index_n_heads")
    attention = AttentionLayers(1, 0 if shared else cached, products, first_number(config, window) or None if window else None)
    inner_sizes = getattr(config, "intermediate_size", None)
    multiple = first_number(config, "intermediate_multiple_size", default=4)
    intermediate = first_number(config, "intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size") or multiple * hidden
    if isinstance(inner_sizes, list | tuple):  # one for each layer
        intermediate = int(inner_sizes[index])
    sizes = dict(head_count=heads, kv_head_count=kv_heads, key_size=key_size, value_size=value_size)
    return _Layer(kind, attention, sizes | dict(latent_size=latent, unfolding_parameters=unfolding), mixer, intermediate)


def _feed_forward(config: Any, layers: list[_Layer]) -> dict[str, int]:
    """Return the fields of `ModelShape` about feed-forward blocks and experts."""
    if config.model_type in _STATE_SPACE:
        return {}
    per_size = first_number(config, *_HIDDEN) * (2 if config.model_type in _UNGATED else 3)
    blocks = [layer for layer in layers if layer.kind in ALONE] or layers
    experts = first_number(config, *EXPERTS)
    chosen = first_number(config, "num_experts_per_tok", "num_experts_per_token", "moe_topk")
    if not (experts and chosen):
        experts = chosen = 0
    plain = first_number(config, "first_k_dense_replace") + len(getattr(config, "mlp_only_layers", None) or [])
    plain = min(len(blocks), plain) if experts else len(blocks)
    size = first_number(config, "moe_intermediate_size") or blocks[0].intermediate
    shared = first_number(config, "n_shared_experts") * size or first_number(config, "shared_expert_intermediate_size")
    dense = sum(per_size * layer.intermediate for layer in blocks[:plain])
    always = first_number(config, *_HIDDEN) * experts + per_size * shared  # the router and the shared experts, which every token uses
    every, used = (dense + (len(blocks) - plain) * (always + count * per_size * size) for count in (experts, chosen))
    return dict(feed_forward_parameters=every, active_feed_forward_parameters=used, expert_count=experts, active_experts=chosen)
