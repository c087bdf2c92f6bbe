"""The shape of a model, read from its own configuration: what every formula about memory and work starts from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

UNBOUNDED_CONTEXT = 1_048_576  # for architectures whose memory does not grow with the text


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The numbers that decide what a forward pass costs. Counts are plain counts; sizes are in numbers, not bytes.

    key_size, value_size: numbers kept per KV head and position. attention_layers: layers that keep keys and values (a hybrid has fewer
    than layer_count, a state-space model none). window: positions a sliding-window layer keeps; window_layers: how many layers slide.
    """

    layer_count: int
    attention_layers: int
    hidden_size: int
    head_count: int
    kv_head_count: int
    key_size: int
    value_size: int
    intermediate_size: int
    vocabulary_size: int
    context_length: int
    window: int | None = None
    window_layers: int = 0

    @property
    def cache_numbers_per_token(self) -> int:
        """How many numbers the cache takes up per token: layers x KV heads x (key + value)."""
        return self.attention_layers * self.kv_head_count * (self.key_size + self.value_size)

    @classmethod
    def from_config(cls, config: Any) -> ModelShape:
        """Read the shape from a transformers configuration, whatever names the architecture gives its numbers."""
        text = config.get_text_config()
        layers = int(_first(text, "num_hidden_layers", "n_layer", "n_layers", "num_layers", default=0))
        hidden = int(_first(text, "hidden_size", "n_embd", "d_model", default=0))
        heads = int(_first(text, "num_attention_heads", "n_head", "n_heads", default=1))
        head_size = int(_first(text, "head_dim", default=0)) or hidden // max(heads, 1)
        kv_heads = int(_first(text, "num_key_value_heads", "num_kv_heads", default=0)) or heads
        if getattr(text, "multi_query", False) and not getattr(text, "new_decoder_architecture", False):
            kv_heads = 1
        key_size = value_size = head_size
        if getattr(text, "kv_lora_rank", None) and getattr(text, "qk_rope_head_dim", None):  # DeepSeek's latent attention
            key_size = int(text.qk_nope_head_dim) + int(text.qk_rope_head_dim)
            value_size, kv_heads = int(text.v_head_dim), heads
        kinds = list(getattr(text, "layer_types", None) or getattr(text, "layers_block_type", None) or [])
        window = getattr(text, "sliding_window", None) if getattr(text, "use_sliding_window", True) else None
        window_layers = sum("sliding" in kind or "chunked" in kind for kind in kinds) if kinds else (layers if window else 0)
        attention = sum("attention" in kind and "linear" not in kind for kind in kinds) if kinds else layers
        if _is_state_space(text):
            attention = 0
        attention -= int(getattr(text, "num_kv_shared_layers", 0) or 0)
        return cls(
            layer_count=layers,
            attention_layers=attention,
            hidden_size=hidden,
            head_count=heads,
            kv_head_count=kv_heads,
            key_size=key_size,
            value_size=value_size,
            intermediate_size=int(_first(text, "intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", default=0)) or 4 * hidden,
            vocabulary_size=int(text.vocab_size),
            context_length=int(_first(text, "max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length", default=0))
            or UNBOUNDED_CONTEXT,
            window=int(window) if window and window_layers else None,
            window_layers=window_layers if window else 0,
        )


def _first(config: Any, *names: str, default: int) -> Any:
    """The first of these names that the configuration has a number for."""
    for name in names:
        value = getattr(config, name, None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
    return default


def _is_state_space(config: Any) -> bool:
    return getattr(config, "model_type", "") in {"mamba", "mamba2", "falcon_mamba", "rwkv", "xlstm"}
