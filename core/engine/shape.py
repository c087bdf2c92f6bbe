"""Model shape: layers, heads and sizes, from which memory and work are computed."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from core.engine.attention_layers import AttentionLayers
from core.engine.published_shapes import SHAPES
from core.engine.shape_from_config import UNBOUNDED_CONTEXT, fields_from_config, first_number, layer_count
from core.errors import ModelError

__all__ = ["UNBOUNDED_CONTEXT", "AttentionLayers", "ModelShape"]
_FEED_FORWARD = ("mlp", "ffn", "feed_forward", "block_sparse_moe", "fc1", "fc2")
_NO_MATRIX = ("A_log", "_bias", "wpe", "position", "embed_tokens", "conv1d")  # in the names of tables and kernels
MOST_LAYERS, MOST_EXPERTS = 300, 4096  # of a network that is built without memory; each is an object of Python


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The numbers that determine the cost of a forward pass. Sizes are counts of numbers, not bytes.

    attention: the layers with attention, in groups of the same sizes; a hybrid has fewer than layer_count, a state-space model none.
    kv_head_count, key_size, value_size: of the usual layer, the first that attends to all positions; sizes per KV head and position.

    attention_parameters: weights in the matrices of attention (or of the recurrence or convolution that replaces it), all layers.
    feed_forward_parameters: weights in the matrices of the feed-forward blocks, all layers and all experts, routers included;
    active_feed_forward_parameters: those used by one token. small_parameters: all others: norms, biases, position
    tables, and what the tables of embeddings have beyond vocabulary x hidden size.

    latent_size: numbers kept per layer and position if keys and values share one compressed vector (DeepSeek), else 0;
    unfolding_parameters: weights of one layer that expand this vector, for every kept position, in every pass.
    state_numbers: numbers that recurrences and convolutions keep, for a text of any length; scan_multiply_adds: of one token in
    them, outside of matrices. Both are measured by `of` and 0 without a network.
    work_known, cache_known: whether the multiply-adds and the cached numbers of this shape are those of the network; see `measured_shape`.
    """

    layer_count: int
    attention: tuple[AttentionLayers, ...]
    hidden_size: int
    head_count: int
    kv_head_count: int
    key_size: int
    value_size: int
    intermediate_size: int
    vocabulary_size: int
    context_length: int
    attention_parameters: int = 0
    feed_forward_parameters: int = 0
    active_feed_forward_parameters: int = 0
    expert_count: int = 0
    active_experts: int = 0
    tied_embeddings: bool = False
    small_parameters: int = 0
    latent_size: int = 0
    unfolding_parameters: int = 0
    state_numbers: int = 0
    scan_multiply_adds: int = 0
    work_known: bool = True
    cache_known: bool = True

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
    def expert_parameters(self) -> int:
        """Weights of all experts, without routers and without shared experts; 0 for a model without experts."""
        idle = self.feed_forward_parameters - self.active_feed_forward_parameters
        return idle * self.expert_count // max(1, self.expert_count - self.active_experts)

    def _everything(self, feed_forward: int) -> int:
        tables = self.head_parameters * (1 if self.tied_embeddings else 2)
        return self.attention_parameters + feed_forward + tables + self.small_parameters

    @property
    def attention_layers(self) -> int:
        """Number of layers with attention."""
        return sum(group.layer_count for group in self.attention)

    @property
    def window(self) -> int | None:
        """Positions that a token attends to in layers with a sliding window; None without such layers."""
        return next((group.window for group in self.attention if group.window), None)

    @property
    def window_layers(self) -> int:
        """Number of layers that keep a sliding window."""
        return sum(group.layer_count for group in self.attention if group.window and group.cached_numbers)

    @property
    def is_uniform(self) -> bool:
        """Return whether every layer keeps the same numbers for every token, and nothing else."""
        alike = self.attention_layers == self.layer_count and len(self.attention) == 1
        return alike and self.cache_numbers_per_token > 0 and not self.window and not self.state_numbers

    @property
    def cache_numbers_per_token(self) -> int:
        """Numbers that the cache keeps per token, while the text is shorter than a window; 0 if not known or without a cache."""
        return sum(group.layer_count * group.cached_numbers for group in self.attention) if self.cache_known else 0

    def cached_numbers(self, tokens: int) -> int:
        """Return the numbers that the cache keeps after `tokens` tokens (1 or more), states of recurrences included."""
        kept = sum(group.layer_count * group.cached_numbers * group.cached_positions(tokens) for group in self.attention)
        return kept + self.state_numbers

    def cache_bytes(self, tokens: int, item_size: float) -> float:
        """Return the bytes of the cache after `tokens` tokens, `item_size` for each number; NaN if they are not known."""
        if not self.cache_known:
            return math.nan
        return math.ceil(self.cached_numbers(tokens) * item_size) if tokens else 0

    def cache_bytes_per_token(self, item_size: float) -> int:
        """Return the bytes of `cache_numbers_per_token`, `item_size` for each number."""
        return math.ceil(self.cache_numbers_per_token * item_size)

    def attention_multiply_adds(self, computed: int, reused: int) -> int:
        """Return the multiply-adds of attention in one pass over `computed` new positions (1 or more) after `reused` ones.

        Each position attends to itself and all before it. Masked products, which a plain attention kernel also computes, are not counted.
        """
        pairs = sum(group.layer_count * group.pair_multiply_adds * group.attended_positions(computed, reused) for group in self.attention)
        return pairs + self.attention_layers * self.unfolding_parameters * reused

    def multiply_adds(self, computed: int, reused: int) -> int:
        """Return the multiply-adds of one pass: each used weight once per new position, the final matrix for the last one, attention."""
        layers = self.attention_parameters + self.active_feed_forward_parameters + self.scan_multiply_adds
        return computed * layers + self.head_parameters + self.attention_multiply_adds(computed, reused)

    @classmethod
    def from_config(cls, config: Any) -> ModelShape:
        """Return the shape from a transformers configuration. What only the weights tell is estimated."""
        return cls(**fields_from_config(config))

    @classmethod
    def of_served(cls, config: Any) -> ModelShape | None:
        """Return the shape of a model whose network is on a server, from the same network built here without memory.

        Without a known work and cache if it cannot be built. None for more than MOST_LAYERS layers or MOST_EXPERTS experts in
        one, which no published model has.
        """
        from core.engine.measured_shape import without_memory

        text = config.get_text_config()
        experts = first_number(text, "num_experts", "num_local_experts", "n_routed_experts") * getattr(text, "is_moe", True)  # dense Doge
        if layer_count(text) > MOST_LAYERS or experts > MOST_EXPERTS:
            return None
        try:
            return cls.of(without_memory(config))
        except Exception:  # a stranger's configuration can cause any error
            return replace(cls.from_config(config), work_known=False, cache_known=False)

    @classmethod
    def of(cls, network: Any) -> ModelShape:
        """Return the shape of a loaded network, checked against its own cache and torch's counter."""
        from core.engine.measured_shape import checked

        head = getattr(network.get_output_embeddings(), "weight", None)
        shape = cls.from_weights(network.config, network.named_parameters(), network.get_input_embeddings().weight, head)
        return checked(shape, network)

    @classmethod
    def from_weights(cls, config: Any, weights: Iterable[tuple[str, Any]], table: Any, head: Any) -> ModelShape:
        """Return the shape from a configuration and the counted weights, which is exact for any architecture.

        weights: (name, tensor) of each parameter once. table, head: the tensors of the input and of the output embedding.
        """
        shape = cls.from_config(config)
        mixers = feed_forward = experts = everything = 0
        for name, weight in weights:
            everything += weight.numel()
            kernel = weight.dim() == 3 and "conv" in name
            if weight is table or weight is head or weight.dim() < 2 or kernel or any(word in name for word in _NO_MATRIX):
                continue
            if ".experts" in name and "shared" not in name:
                experts += weight.numel()
            elif any(word in name for word in _FEED_FORWARD):
                feed_forward += weight.numel()
            else:
                mixers += weight.numel()
        counted, estimated = mixers + feed_forward + experts, shape.attention_parameters + shape.feed_forward_parameters
        if getattr(config, "quantization_config", None) and counted < estimated // 2:
            return shape  # packed weights (several per number) cannot be counted, so the formula's result is used
        visited = experts * shape.active_experts // max(shape.expert_count, 1)
        matrices = replace(
            shape,
            attention_parameters=mixers,
            feed_forward_parameters=feed_forward + experts,
            active_feed_forward_parameters=feed_forward + visited,
            expert_count=shape.expert_count if experts else 0,
            active_experts=shape.active_experts if experts else 0,
            tied_embeddings=head is table,
            small_parameters=0,
        )
        return replace(matrices, small_parameters=everything - matrices.parameter_count)

    def without_cache(self) -> ModelShape:
        """Return the shape of the same network if it runs without a cache."""
        attention = tuple(replace(group, cached_numbers=0) for group in self.attention)
        return replace(self, attention=attention, state_numbers=0, cache_known=True)

    @classmethod
    def named(cls, name: str) -> ModelShape:
        """Return the shape of a published model, such as "llama-3.1-70b". Raises ModelError; `published_shapes.SHAPES` lists them."""
        fields = SHAPES.get(str(name).strip().lower())
        if fields is None:
            raise ModelError("“{name}” is not a published shape. Known shapes: {names}.", name=str(name)[:40], names=", ".join(SHAPES))
        return cls(**fields)
