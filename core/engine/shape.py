"""Count parameters, cached numbers and multiply-adds of a network by formulas, checked against its own cache and torch's counter.

The check runs on a copy of the network without memory (the meta device). Only it imports torch and transformers.
"""

from __future__ import annotations

import copy
import inspect
import math
from collections.abc import Iterable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

from core.engine.attention_layers import AttentionLayers
from core.engine.shape_from_config import fields_from_config

_FEED_FORWARD = ("mlp", "ffn", "feed_forward", "block_sparse_moe", "fc1", "fc2")
_NO_MATRIX = ("A_log", "_bias", "wpe", "position", "embed_tokens", "conv1d")  # in the names of tables and kernels
FIRST, LONGER = 5, 40  # tokens of the measured texts, the second behind many windows and compressions
TOLERANCE = 0.01  # of the work: some architectures multiply a few activations with each other, which no formula counts
_CHECKED: dict[tuple[ModelShape, str, str], ModelShape] = {}  # a model that is loaded again has the same shape


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The numbers that determine the cost of a forward pass. Sizes are counts of numbers, not bytes.

    attention: the layers with attention, in groups of the same sizes; a hybrid has fewer than layer_count, a state-space model none.
    kv_head_count, key_size, value_size: of the usual layer, the first that attends to all positions; sizes per KV head and position.
    attention_parameters: weights in the matrices of attention (or of the recurrence or convolution that replaces it), all layers.
    feed_forward_parameters: weights in the matrices of the feed-forward blocks, all layers and all experts, routers included;
    active_feed_forward_parameters: those used by one token. small_parameters: all others: norms, biases, position
    tables, and what the tables of embeddings have beyond vocabulary x hidden size.
    latent_size: numbers cached per layer and position if keys and values share one compressed vector (DeepSeek), else 0;
    unfolding_parameters: weights of one layer that expand this vector, for every cached position, in every pass.
    state_numbers: numbers that recurrences and convolutions keep, for a text of any length; scan_multiply_adds: of one token in
    them, outside of matrices. Both are measured by `of` and 0 without a network.
    work_known, cache_known: whether the multiply-adds and the cached numbers of this shape are those of the network.
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
        tables = self.head_parameters * (1 if self.tied_embeddings else 2)
        return self.attention_parameters + self.feed_forward_parameters + tables + self.small_parameters

    @property
    def attention_layers(self) -> int:
        """Number of layers with attention."""
        return sum(group.layer_count for group in self.attention)

    @property
    def is_uniform(self) -> bool:
        """Return whether every layer keeps the same numbers for every token, and nothing else."""
        alike = self.attention_layers == self.layer_count and len(self.attention) == 1
        return alike and self.cache_numbers_per_token > 0 and not self.attention[0].window and not self.state_numbers

    @property
    def cache_numbers_per_token(self) -> int:
        """Numbers that the cache keeps per token, while the text is shorter than a window; 0 if not known or without a cache."""
        return sum(group.layer_count * group.cached_numbers for group in self.attention) if self.cache_known else 0

    def cached_numbers(self, tokens: int) -> int:
        """Return the numbers that the cache keeps after `tokens` tokens (1 or more), states of recurrences included."""
        numbers = sum(group.layer_count * group.cached_numbers * group.cached_positions(tokens) for group in self.attention)
        return numbers + self.state_numbers

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
    def of(cls, network: Any) -> ModelShape:
        """Return the shape of a loaded network. What its own cache and torch's counter do not confirm is marked as not known."""
        table, head = network.get_input_embeddings().weight, getattr(network.get_output_embeddings(), "weight", None)
        shape = cls.from_weights(network.config, network.named_parameters(), table, head)
        key = shape, repr(network.config), str(table.device)
        if key not in _CHECKED:
            if len(_CHECKED) >= 64:
                _CHECKED.clear()
            _CHECKED[key] = _checked(shape, network)
        return _CHECKED[key]

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
        return replace(
            shape,
            attention_parameters=mixers,
            feed_forward_parameters=feed_forward + experts,
            active_feed_forward_parameters=feed_forward + experts * shape.active_experts // max(shape.expert_count, 1),
            expert_count=shape.expert_count if experts else 0,
            active_experts=shape.active_experts if experts else 0,
            tied_embeddings=head is table,
            small_parameters=everything - counted - shape.head_parameters * (1 if head is table else 2),
        )

    def without_cache(self) -> ModelShape:
        """Return the shape of the same network if it runs without a cache."""
        attention = tuple(replace(group, cached_numbers=0) for group in self.attention)
        return replace(self, attention=attention, state_numbers=0, cache_known=True)


def without_memory(config: Any) -> Any:
    """Return this network on the meta device, with attention and experts in operations that torch counts."""
    import torch
    from transformers import AutoModelForCausalLM

    plain = copy.deepcopy(config)
    if getattr(plain, "quantization_config", None):
        del plain.quantization_config
    with torch.device("meta"):
        # torch's counter cannot follow a module that hands on a parameter with a gradient, as those of GPT-NeoX-Japanese do
        network = AutoModelForCausalLM.from_config(plain).eval().requires_grad_(False)
    network.set_attn_implementation("eager")
    if hasattr(network, "set_experts_implementation"):
        network.set_experts_implementation("batched_mm")
    return network


def _checked(shape: ModelShape, network: Any) -> ModelShape:
    """Return this shape with its states measured. A network that cannot be built or run without memory is measured itself."""
    import torch

    from core.backends.transformers_backend import cache_argument
    from core.device import is_out_of_memory

    try:
        copied = without_memory(network.config)
    except Exception:  # an architecture can raise anything on unusual settings
        copied = network
    keep: dict[str, Any] = {"logits_to_keep": 1} if "logits_to_keep" in inspect.signature(network.forward).parameters else {}
    name = cache_argument(network) or ""
    with torch.inference_mode():
        for measured in (copied, network) if name else ():
            try:
                return _with_cache(shape, measured, name, keep)
            except Exception as error:  # it has a cache class of its own; the app runs such a model without a cache
                if is_out_of_memory(error):
                    raise
        return replace(shape, cache_known=False, work_known=_work_without_cache(shape, copied, keep))


def _with_cache(shape: ModelShape, network: Any, name: str, keep: dict[str, Any]) -> ModelShape:
    """Return the shape, checked by passes with a cache. Raises any error for a network that does not accept the cache."""
    from transformers.cache_utils import DynamicCache

    from core.backends.cache_bytes import cache_tensors

    counted, cached = [], []
    lengths = FIRST, max(FIRST, min(LONGER, shape.context_length - 1))
    for length in lengths:
        cache = DynamicCache(config=network.config.get_text_config())
        for tokens in (length, 1):
            counted.append(_multiply_adds(network, tokens, tokens == 1, use_cache=True, **{name: cache}, **keep))
            cached.append(sum(tensor.numel() for layer in cache.layers for tensor in cache_tensors(layer)))
    states, scan = _states(network, cache)
    shape = replace(shape, state_numbers=states, scan_multiply_adds=scan)
    first, longer = (shape.multiply_adds(1, length) for length in lengths)
    return replace(
        shape,
        cache_known=[shape.cached_numbers(tokens) for length in lengths for tokens in (length, length + 1)] == cached,
        work_known=_agrees(counted[1], first, scan) and _agrees(counted[3] - counted[1], longer - first, 0),
    )


def _work_without_cache(shape: ModelShape, network: Any, keep: dict[str, Any]) -> bool:
    """Return whether plain passes do this shape's work and that of the masked half of attention."""
    heads = 0 if keep else shape.head_parameters
    try:
        counted = [_multiply_adds(network, tokens, use_cache=False, **keep) for tokens in (1, FIRST)]
    except Exception:  # see `_checked`
        return False
    expected = shape.multiply_adds(1, 0), FIRST * (shape.multiply_adds(1, FIRST - 1) - shape.head_parameters) + shape.head_parameters
    return _agrees(counted[0], expected[0], 0) and _agrees(counted[1], expected[1] + (FIRST - 1) * heads, 0)


def _agrees(counted: int, computed: int, uncounted: int) -> bool:
    """Return whether two counts are alike; torch counts elementwise products (`uncounted`) only where they are written as matrices."""
    return (computed - uncounted) * (1 - TOLERANCE) <= counted <= computed * (1 + TOLERANCE)


def _multiply_adds(network: Any, tokens: int, counts_them: bool = True, **extra: Any) -> int:
    """Return the multiply-adds of one pass over this many tokens as torch counts them, without convolutions; 0 if they are not counted."""
    import torch
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) if counts_them else nullcontext() as counter:
        network(torch.zeros(1, tokens, dtype=torch.long, device=network.get_input_embeddings().weight.device), **extra)
    counts = counter.get_flop_counts().get("Global", {}) if counter else {}
    return sum(count for operation, count in counts.items() if "convolution" not in str(operation)) // 2


def _states(network: Any, cache: Any) -> tuple[int, int]:
    """Return the numbers in all recurrent and convolution states, and the multiply-adds of one token in them, outside of matrices.

    A convolution multiplies each number that it keeps once. Mamba (Gu and Dao 2023, arXiv 2312.00752, algorithm 2) takes four per number of
    its state: decay, input, sum and readout. Mamba 2 shares the decay within a head and takes three. The gated delta rule (Yang et al.
    2024, arXiv 2412.06464) takes four: decay, readout of the key, update, readout of the query.
    """
    from core.backends.cache_bytes import tensors_in

    is_delta = getattr(network.config.get_text_config(), "linear_key_head_dim", None) is not None
    convolved = [state.numel() for layer in cache.layers for state in tensors_in(getattr(layer, "conv_states", None))]
    recurrent = [state for layer in cache.layers for state in tensors_in(getattr(layer, "recurrent_states", None))]
    scanned = sum(state.numel() * (4 if is_delta or state.dim() == 3 else 3) for state in recurrent)
    return sum(convolved) + sum(state.numel() for state in recurrent), sum(convolved) + scanned
