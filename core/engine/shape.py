"""Model shape, read from a configuration: layers, heads and sizes, from which memory and work are computed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from core.engine.published_shapes import SHAPES
from core.errors import UnknownModel
from core.message import Message

UNBOUNDED_CONTEXT = 1_048_576  # for architectures whose memory does not grow with the text


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The numbers that determine the cost of a forward pass. Sizes are counts of numbers, not bytes.

    key_size, value_size: numbers kept per KV head and position. attention_layers: layers that keep keys and values (a hybrid has fewer
    than layer_count, a state-space model none). window: positions that a sliding-window layer keeps; window_layers: number of such layers.

    attention_parameters: weights in the matrices of attention (or of the recurrence or convolution that replaces it), all layers.
    feed_forward_parameters: weights in the matrices of the feed-forward blocks, all layers and all experts, routers included;
    active_feed_forward_parameters: those used by one token. small_parameters: norms, biases, position tables and all other non-matrices.

    latent_size: numbers kept per layer and position if keys and values share one compressed vector (DeepSeek), else 0;
    unfolding_parameters: weights of one layer that expand this vector, for every kept position, in every pass.
    scan_multiply_adds: of one token in the recurrences and convolutions of all layers, outside of matrices (Mamba, LFM2), else 0.
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
    attention_parameters: int = 0
    feed_forward_parameters: int = 0
    active_feed_forward_parameters: int = 0
    expert_count: int = 0
    active_experts: int = 0
    tied_embeddings: bool = False
    small_parameters: int = 0
    latent_size: int = 0
    unfolding_parameters: int = 0
    scan_multiply_adds: int = 0

    @property
    def head_parameters(self) -> int:
        """Weights of the output matrix, which computes the logits: vocabulary x hidden size."""
        return self.vocabulary_size * self.hidden_size

    @property
    def matrix_parameters(self) -> int:
        """Weights that one token is multiplied with, one multiply-add each; experts that are not chosen do not count."""
        return self.attention_parameters + self.active_feed_forward_parameters + self.head_parameters

    @property
    def parameter_count(self) -> int:
        """Number of all parameters."""
        return self._everything(self.feed_forward_parameters)

    @property
    def active_parameters(self) -> int:
        """Number of parameters without those of experts that a token does not use."""
        return self._everything(self.active_feed_forward_parameters)

    @property
    def expert_parameters(self) -> int:
        """Weights of all experts, without routers and without shared experts; 0 for a model without experts."""
        idle = self.feed_forward_parameters - self.active_feed_forward_parameters
        return idle * self.expert_count // max(1, self.expert_count - self.active_experts)

    def _everything(self, feed_forward: int) -> int:
        tables = self.head_parameters * (1 if self.tied_embeddings else 2)
        return self.attention_parameters + feed_forward + tables + self.small_parameters

    @property
    def cache_numbers_per_token(self) -> int:
        """Numbers that the cache keeps per token: layers x KV heads x (key + value)."""
        return self.attention_layers * self.cache_numbers_per_layer

    @property
    def cache_numbers_per_layer(self) -> int:
        """Numbers that one layer keeps per token."""
        return self.latent_size or self.kv_head_count * (self.key_size + self.value_size)

    @classmethod
    def from_config(cls, config: Any) -> ModelShape:
        """Return the shape from a transformers configuration; each number is looked up under all names that architectures use."""
        text = config.get_text_config() if hasattr(config, "get_text_config") else config
        layers = int(_first(text, "num_hidden_layers", "n_layer", "n_layers", "num_layers", default=0))
        hidden = int(_first(text, "hidden_size", "n_embd", "d_model", default=0))
        heads = int(_first(text, "num_attention_heads", "n_head", "n_heads", default=1))
        head_size = int(_first(text, "head_dim", default=0)) or hidden // max(heads, 1)
        kv_heads = int(_first(text, "num_key_value_heads", "num_kv_heads", default=0)) or heads
        if getattr(text, "multi_query", False) and not getattr(text, "new_decoder_architecture", False):
            kv_heads = 1
        key_size = value_size = head_size
        latent = unfolding = 0
        if _is_latent(text):
            key_size = int(text.qk_nope_head_dim) + int(text.qk_rope_head_dim)
            value_size, kv_heads = int(text.v_head_dim), heads
            latent = int(text.kv_lora_rank) + int(text.qk_rope_head_dim)
            unfolding = int(text.kv_lora_rank) * heads * (int(text.qk_nope_head_dim) + value_size)
        kinds = list(getattr(text, "layer_types", None) or getattr(text, "layers_block_type", None) or [])
        window = getattr(text, "sliding_window", None) if getattr(text, "use_sliding_window", True) else None
        window_layers = sum("sliding" in kind or "chunked" in kind for kind in kinds) if kinds else (layers if window else 0)
        attention = sum("attention" in kind and "linear" not in kind for kind in kinds) if kinds else layers
        if _is_state_space(text):
            attention = 0
        attention -= int(getattr(text, "num_kv_shared_layers", 0) or 0)
        intermediate = int(_first(text, "intermediate_size", "n_inner", "ffn_dim", "ffn_hidden_size", default=0)) or 4 * hidden
        mixers = _mixer_weights(text, kinds, layers, hidden, heads, kv_heads, key_size, value_size)
        feed_forward, active, experts, chosen = _feed_forward_weights(text, layers, hidden, intermediate)
        return cls(
            layer_count=layers,
            attention_layers=attention,
            hidden_size=hidden,
            head_count=heads,
            kv_head_count=kv_heads,
            key_size=key_size,
            value_size=value_size,
            intermediate_size=intermediate,
            vocabulary_size=int(text.vocab_size),
            context_length=int(_first(text, "max_position_embeddings", "n_positions", "n_ctx", "max_seq_len", "seq_length", default=0))
            or UNBOUNDED_CONTEXT,
            window=int(window) if window and window_layers else None,
            window_layers=window_layers if window else 0,
            attention_parameters=mixers,
            feed_forward_parameters=feed_forward,
            active_feed_forward_parameters=active,
            expert_count=experts,
            active_experts=chosen,
            tied_embeddings=bool(getattr(text, "tie_word_embeddings", False)),
            latent_size=latent,
            unfolding_parameters=unfolding,
            scan_multiply_adds=_scan(text, kinds, layers, hidden),
        )

    @classmethod
    def of(cls, network: Any) -> ModelShape:
        """Return the shape of a loaded network."""
        head = getattr(network.get_output_embeddings(), "weight", None)
        return cls.from_weights(network.config, network.named_parameters(), network.get_input_embeddings().weight, head)

    @classmethod
    def from_weights(cls, config: Any, weights: Iterable[tuple[str, Any]], table: Any, head: Any) -> ModelShape:
        """Return the shape from a configuration and the counted weights, which is exact for any architecture.

        weights: (name, tensor) of each parameter once. table, head: the tensors of the input and of the output embedding.
        """
        shape = cls.from_config(config)
        mixers = feed_forward = experts = small = 0
        for name, weight in weights:
            if weight is table or weight is head:
                continue
            kernel = weight.dim() == 3 and "conv" in name
            if weight.dim() < 2 or kernel or "A_log" in name or "_bias" in name or "wpe" in name or "position" in name:
                small += weight.numel()
            elif ".experts" in name and "shared" not in name:
                experts += weight.numel()
            elif any(word in name for word in _FEED_FORWARD):
                feed_forward += weight.numel()
            else:
                mixers += weight.numel()
        if mixers + feed_forward + experts < (shape.attention_parameters + shape.feed_forward_parameters) // 2:
            return shape  # packed weights (several per number) cannot be counted, so the formula's result is used
        visited = experts * shape.active_experts // max(shape.expert_count, 1)
        return replace(
            shape,
            attention_parameters=mixers,
            feed_forward_parameters=feed_forward + experts,
            active_feed_forward_parameters=feed_forward + visited,
            tied_embeddings=head is table,
            small_parameters=small,
        )

    @classmethod
    def named(cls, name: str) -> ModelShape:
        """Return the shape of a published model, such as "llama-3.1-70b". Raises UnknownModel; `published_shapes.SHAPES` lists them."""
        known = SHAPES.get(str(name).strip().lower())
        if known is None:
            raise UnknownModel(
                Message("“{name}” is not a published shape. Known shapes: {names}.", name=str(name)[:40], names=", ".join(SHAPES))
            )
        return cls(**known)


def _first(config: Any, *names: str, default: int) -> Any:
    """Return the first of these attributes that is a number, else `default`."""
    for name in names:
        value = getattr(config, name, None)
        if isinstance(value, int | float) and not isinstance(value, bool):
            return value
    return default


def _is_latent(config: Any) -> bool:
    """Return whether this is DeepSeek's attention: one compressed vector per position is expanded to every head's key and value."""
    return bool(getattr(config, "kv_lora_rank", None) and getattr(config, "qk_rope_head_dim", None))


def _is_state_space(config: Any) -> bool:
    return getattr(config, "model_type", "") in {"mamba", "mamba2", "falcon_mamba", "rwkv", "xlstm"}


# Architectures whose feed-forward block has two matrices. All others are counted with a third one, the gate.
_UNGATED = {
    "gpt2",
    "gpt_bigcode",
    "gpt_neo",
    "gpt_neox",
    "gptj",
    "codegen",
    "bloom",
    "mpt",
    "falcon",
    "opt",
    "phi",
    "starcoder2",
    "persimmon",
}
_FEED_FORWARD = ("mlp", "ffn", "feed_forward", "block_sparse_moe", "fc1", "fc2")


def _mixer_weights(
    config: Any, kinds: list[str], layers: int, hidden: int, heads: int, kv_heads: int, key_size: int, value_size: int
) -> int:
    """Return the weights of the matrices that mix positions: queries, keys, values, output, or the matrices that replace them."""
    if _is_state_space(config):
        inner = int(_first(config, "intermediate_size", default=0)) or int(_first(config, "expand", default=2)) * hidden
        rank, state = int(_first(config, "time_step_rank", default=0)), int(_first(config, "state_size", default=0))
        return layers * (hidden * 2 * inner + inner * (rank + 2 * state) + rank * inner + inner * hidden)
    if _is_latent(config):
        squeezed, rotary = int(config.kv_lora_rank), int(config.qk_rope_head_dim)
        query_rank = int(getattr(config, "q_lora_rank", None) or 0)
        queries = hidden * query_rank + query_rank * heads * key_size if query_rank else hidden * heads * key_size
        keys_values = hidden * (squeezed + rotary) + squeezed * heads * (key_size - rotary + value_size)
        return layers * (queries + keys_values + heads * value_size * hidden)
    attention = hidden * (heads * key_size + kv_heads * (key_size + value_size)) + heads * value_size * hidden
    convolutions = sum(kind == "conv" for kind in kinds)
    return (layers - convolutions) * attention + convolutions * 4 * hidden * hidden


def _scan(config: Any, kinds: list[str], layers: int, hidden: int) -> int:
    """Return the multiply-adds of one token outside of matrices, all layers: a recurrence's state and a convolution's window.

    Mamba (Gu and Dao 2023, arXiv 2312.00752, algorithm 2) takes four per number of its state: decay, input, sum and readout. Mamba 2 shares
    the decay within a head and takes three. RWKV and xLSTM are not counted.
    """
    kind = getattr(config, "model_type", "")
    kernel = int(_first(config, "conv_kernel", "conv_L_cache", default=0))
    if kind in ("mamba", "falcon_mamba", "mamba2"):
        inner = int(_first(config, "intermediate_size", default=0)) or int(_first(config, "expand", default=2)) * hidden
        state = int(_first(config, "state_size", default=0))
        if kind == "mamba2":
            return layers * (3 * inner * state + (inner + 2 * int(_first(config, "n_groups", default=1)) * state) * kernel)
        return layers * inner * (4 * state + kernel)
    return sum(layer == "conv" for layer in kinds) * hidden * kernel


def _feed_forward_weights(config: Any, layers: int, hidden: int, intermediate: int) -> tuple[int, int, int, int]:
    """Return the feed-forward weights of all layers, those that one token uses, the number of experts, and experts per token."""
    if _is_state_space(config):
        return 0, 0, 0, 0
    matrices = 2 if getattr(config, "model_type", "") in _UNGATED else 3
    dense = matrices * hidden * intermediate
    experts = int(_first(config, "num_local_experts", "n_routed_experts", "num_experts", default=0))
    chosen = int(_first(config, "num_experts_per_tok", "num_experts_per_token", "moe_topk", default=0))
    if not experts or not chosen:
        return layers * dense, layers * dense, 0, 0
    plain = min(layers, int(_first(config, "first_k_dense_replace", default=0)) + len(getattr(config, "mlp_only_layers", None) or []))
    sparse = layers - plain
    size = int(_first(config, "moe_intermediate_size", default=0)) or intermediate
    shared = int(_first(config, "n_shared_experts", default=0)) * size or int(_first(config, "shared_expert_intermediate_size", default=0))
    always = hidden * experts + matrices * hidden * shared  # the router and the shared experts, which every token uses
    one = matrices * hidden * size
    return plain * dense + sparse * (always + experts * one), plain * dense + sparse * (always + chosen * one), experts, chosen
