"""Read the fields of `ModelShape` from a transformers configuration, without weights.

Every number is looked up under all names that architectures use. A configuration whose layers differ is read layer by layer.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from core.engine.attention_layers import AttentionLayers

UNBOUNDED_CONTEXT = 1_048_576  # for architectures whose memory does not grow with the text
WITHOUT_ATTENTION = {"linear_attention", "conv", "mlp", "moe"}  # kinds of layers in `layer_types`
ALONE = {"mlp", "moe"}  # kinds of layers that are a feed-forward block alone
# Architectures whose feed-forward block has two matrices. All others are counted with a third one, the gate.
_UNGATED = set("gpt2 gpt_bigcode gpt_neo gpt_neox gptj codegen bloom mpt falcon opt phi starcoder2 persimmon".split())
# Architectures whose first position is the one after the padding id.
_AFTER_PADDING = set("roberta roberta-prelayernorm xlm-roberta xlm-roberta-xl xmod camembert data2vec-text".split())
_STATE_SPACE = {"mamba", "mamba2", "falcon_mamba", "rwkv", "xlstm"}


def fields_from_config(config: Any) -> dict[str, Any]:
    """Return the fields of `ModelShape` for this configuration, or for the part of it that describes the text model."""
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    layers = _layers(text)
    usual = next((layer for layer in layers if layer.attends and not layer.window), layers[0])
    hidden = int(first_number(text, "hidden_size", "n_embd", "d_model"))
    context = int(first_number(text, "max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length"))
    context -= int(first_number(text, "pad_token_id")) + 1 if text.model_type in _AFTER_PADDING else 0
    unfolding = int(text.kv_lora_rank) * usual.heads * (int(text.qk_nope_head_dim) + usual.value_size) if _is_latent(text) else 0
    feed_forward, active, experts, chosen = _feed_forward_weights(text, layers, hidden)
    return dict(
        layer_count=len(layers),
        attention=grouped([layer.attention for layer in layers if layer.attends]),
        hidden_size=hidden,
        head_count=usual.heads,
        kv_head_count=usual.kv_heads,
        key_size=usual.key_size,
        value_size=usual.value_size,
        intermediate_size=layers[0].intermediate,
        vocabulary_size=int(text.vocab_size),
        context_length=context or UNBOUNDED_CONTEXT,
        attention_parameters=_mixer_weights(text, layers, hidden),
        feed_forward_parameters=feed_forward,
        active_feed_forward_parameters=active,
        expert_count=experts,
        active_experts=chosen,
        tied_embeddings=bool(getattr(text, "tie_word_embeddings", False)),
        latent_size=usual.latent,
        unfolding_parameters=unfolding,
    )


def grouped(layers: list[AttentionLayers]) -> tuple[AttentionLayers, ...]:
    """Return one group for each kind of these layers, in the order of their first layers."""
    counts = Counter(layers)
    return tuple(AttentionLayers(count, kind.cached_numbers, kind.pair_multiply_adds, kind.window) for kind, count in counts.items())


@dataclass(frozen=True, slots=True)
class _Layer:
    """One layer as its configuration describes it. indexer: numbers of an index key; index_products: those of an indexer per position."""

    kind: str
    heads: int
    kv_heads: int
    key_size: int
    value_size: int
    latent: int
    window: int | None
    shared: bool
    indexer: int
    index_products: int
    intermediate: int

    @property
    def attends(self) -> bool:
        return self.kind not in WITHOUT_ATTENTION

    @property
    def attention(self) -> AttentionLayers:
        kept = (self.latent or self.kv_heads * (self.key_size + self.value_size)) + self.indexer
        return AttentionLayers(
            1, 0 if self.shared else kept, self.heads * (self.key_size + self.value_size) + self.index_products, self.window
        )


def layer_count(text: Any) -> int:
    """Return the number of layers of this text configuration."""
    return int(first_number(text, "num_hidden_layers", "n_layer", "n_layers", "num_layers"))


def _layers(text: Any) -> list[_Layer]:
    """Return the layers of this text configuration from the first to the last."""
    own = list(getattr(text, "per_layer_config", None) or [text] * layer_count(text))
    kinds = list(getattr(text, "layer_types", None) or [])
    if not kinds:
        kinds = ["linear_attention" if text.model_type in _STATE_SPACE else _usual_kind(config) for config in own]
    shared = layer_count(text) - int(getattr(text, "num_kv_shared_layers", 0) or 0)
    return [_layer(config, kind, index, index >= shared) for index, (config, kind) in enumerate(zip(own, kinds, strict=False))]


def _usual_kind(config: Any) -> str:
    """Return the kind of a layer of a configuration without `layer_types`."""
    return (
        "sliding_attention" if getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True) else "full_attention"
    )


def _layer(config: Any, kind: str, index: int, shared: bool) -> _Layer:
    hidden = int(first_number(config, "hidden_size", "n_embd", "d_model"))
    heads = int(first_number(config, "num_attention_heads", "n_head", "n_heads", default=1))
    key_size = value_size = int(first_number(config, "attention_head_dim", "head_dim")) or hidden // max(heads, 1)
    kv_heads = int(first_number(config, "num_key_value_heads", "num_kv_heads")) or heads
    if getattr(config, "multi_query", False) and not getattr(config, "new_decoder_architecture", False):
        kv_heads = 1
    latent = 0
    if _is_latent(config):
        key_size = int(config.qk_nope_head_dim) + int(config.qk_rope_head_dim)
        value_size, kv_heads = int(config.v_head_dim), heads
        latent = int(config.kv_lora_rank) + int(config.qk_rope_head_dim)
    name = "attention_chunk_size" if "chunked" in kind else "sliding_window" if "sliding" in kind else ""
    indexed = kind == "indexed_attention"
    inner = getattr(config, "intermediate_size", None)
    if isinstance(inner, list | tuple):
        intermediate = int(inner[index])
    else:
        intermediate = int(first_number(config, "intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size")) or 4 * hidden
    return _Layer(
        kind=kind,
        heads=heads,
        kv_heads=kv_heads,
        key_size=key_size,
        value_size=value_size,
        latent=latent,
        window=int(first_number(config, name)) or None if name else None,
        shared=shared,
        indexer=int(first_number(config, "index_head_dim")) if indexed else 0,
        index_products=(int(first_number(config, "index_head_dim")) + 1) * int(first_number(config, "index_n_heads")) if indexed else 0,
        intermediate=intermediate,
    )


def first_number(config: Any, *names: str, default: int = 0) -> Any:
    """Return the first of these attributes that is a number, else `default`."""
    for name in names:
        value = getattr(config, name, None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
    return default


def _is_latent(config: Any) -> bool:
    """Return whether this is DeepSeek's attention: one compressed vector per position is expanded to every head's key and value."""
    return bool(getattr(config, "kv_lora_rank", None) and getattr(config, "qk_rope_head_dim", None))


def _mixer_weights(config: Any, layers: list[_Layer], hidden: int) -> int:
    """Return the weights of the matrices that mix positions: queries, keys, values, output, or the matrices that replace them."""
    if config.model_type in _STATE_SPACE:
        inner = int(first_number(config, "intermediate_size")) or int(first_number(config, "expand", default=2)) * hidden
        rank, state = int(first_number(config, "time_step_rank")), int(first_number(config, "state_size"))
        return len(layers) * (hidden * 2 * inner + inner * (rank + 2 * state) + rank * inner + inner * hidden)
    mixing = [layer for layer in layers if layer.kind not in ALONE]
    return sum(4 * hidden * hidden if layer.kind == "conv" else _attention_weights(config, layer, hidden) for layer in mixing)


def _attention_weights(config: Any, layer: _Layer, hidden: int) -> int:
    if layer.latent:
        squeezed, rotary = int(config.kv_lora_rank), int(config.qk_rope_head_dim)
        query_rank = int(getattr(config, "q_lora_rank", None) or 0)
        wide = layer.heads * layer.key_size
        queries = hidden * query_rank + query_rank * wide if query_rank else hidden * wide
        keys_values = hidden * (squeezed + rotary) + squeezed * layer.heads * (layer.key_size - rotary + layer.value_size)
        return queries + keys_values + layer.heads * layer.value_size * hidden
    wide = layer.heads * layer.key_size + layer.kv_heads * (layer.key_size + layer.value_size)
    return hidden * wide + layer.heads * layer.value_size * hidden


def _feed_forward_weights(config: Any, layers: list[_Layer], hidden: int) -> tuple[int, int, int, int]:
    """Return the feed-forward weights of all layers, those that one token uses, the number of experts, and experts per token."""
    if config.model_type in _STATE_SPACE:
        return 0, 0, 0, 0
    matrices = 2 if config.model_type in _UNGATED else 3
    if any(layer.kind in ALONE for layer in layers):
        layers = [layer for layer in layers if layer.kind in ALONE]
    dense = [matrices * hidden * layer.intermediate for layer in layers]
    experts = int(first_number(config, "num_local_experts", "n_routed_experts", "num_experts"))
    chosen = int(first_number(config, "num_experts_per_tok", "num_experts_per_token", "moe_topk"))
    if not experts or not chosen:
        return sum(dense), sum(dense), 0, 0
    plain = min(len(layers), int(first_number(config, "first_k_dense_replace")) + len(getattr(config, "mlp_only_layers", None) or []))
    sparse = len(layers) - plain
    size = int(first_number(config, "moe_intermediate_size")) or layers[0].intermediate
    shared = int(first_number(config, "n_shared_experts")) * size or int(first_number(config, "shared_expert_intermediate_size"))
    always = hidden * experts + matrices * hidden * shared  # the router and the shared experts, which every token uses
    per_expert = matrices * hidden * size
    first = sum(dense[:plain])
    return first + sparse * (always + experts * per_expert), first + sparse * (always + chosen * per_expert), experts, chosen
