"""Check a shape against the network's own cache and torch's counter, on a copy of the network without memory (the meta device)."""

from __future__ import annotations

import copy
import inspect
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import torch
from torch.utils.flop_counter import FlopCounterMode
from transformers import AutoModelForCausalLM
from transformers.cache_utils import DynamicCache

from core.backends.cache_tensors import cache_argument, cache_tensors, tensors_in
from core.device import is_out_of_memory

if TYPE_CHECKING:
    from core.engine.shape import ModelShape

FIRST, LONGER = 5, 40  # tokens of the measured texts, the second behind many windows and compressions
TOLERANCE = 0.01  # of the work: some architectures multiply a few activations with each other, which no formula counts

MOST_SEEN = 64
_SEEN: dict[tuple[ModelShape, str, str], ModelShape] = {}  # a model that is loaded again has the same shape


def checked(shape: ModelShape, network: Any) -> ModelShape:
    """Return this shape with its recurrent states measured, and with what differs from the measurement marked as not known.

    The cache is measured in its tensors. Work is compared with torch's counter. A network that cannot be built or run without memory is
    measured itself.
    """
    key = shape, repr(network.config), str(network.get_input_embeddings().weight.device)
    measured = _SEEN.get(key)
    if measured is None:
        if len(_SEEN) >= MOST_SEEN:
            _SEEN.clear()
        with torch.inference_mode():
            measured = _SEEN[key] = _checked(shape, network)
    return measured


def _checked(shape: ModelShape, network: Any) -> ModelShape:
    try:
        copied = without_memory(network.config)
    except Exception:  # an architecture can raise anything on unusual settings
        copied = network
    keep = {"logits_to_keep": 1} if "logits_to_keep" in inspect.signature(network.forward).parameters else {}
    name = cache_argument(network)
    for measured in (copied, network):
        if name is None:
            break
        try:
            return _with_cache(shape, measured, name, keep)
        except Exception as error:  # it has a cache class of its own; the app runs such a model without a cache
            if is_out_of_memory(error):
                raise
    return replace(shape, cache_known=False, work_known=_work_without_cache(shape, copied, keep))


def without_memory(config: Any) -> Any:
    """Return this network on the meta device, with attention and experts in operations that torch counts."""
    plain = copy.deepcopy(config)
    if getattr(plain, "quantization_config", None):
        del plain.quantization_config
    with torch.device("meta"):
        network = AutoModelForCausalLM.from_config(plain).eval()
    network.set_attn_implementation("eager")
    if hasattr(network, "set_experts_implementation"):
        network.set_experts_implementation("batched_mm")
    return network


def _with_cache(shape: ModelShape, network: Any, name: str, keep: dict[str, int]) -> ModelShape:
    """Return the shape, checked by passes with a cache. Raises any error for a network that does not accept the cache."""
    counted, kept = [], []
    lengths = FIRST, max(FIRST, min(LONGER, shape.context_length - 1))
    for length in lengths:
        cache = DynamicCache(config=network.config.get_text_config())
        network(_text(network, length), use_cache=True, **{name: cache}, **keep)
        kept.append(_numbers(cache))
        counted.append(_multiply_adds(network, 1, use_cache=True, **{name: cache}, **keep))
        kept.append(_numbers(cache))
    states, scan = _states(network, cache)
    shape = replace(shape, state_numbers=states, scan_multiply_adds=scan)
    computed = [shape.multiply_adds(1, length) for length in lengths]
    return replace(
        shape,
        cache_known=[shape.cached_numbers(tokens) for length in lengths for tokens in (length, length + 1)] == kept,
        work_known=_agrees(counted[0], computed[0], scan) and _agrees(counted[1] - counted[0], computed[1] - computed[0], 0),
    )


def _work_without_cache(shape: ModelShape, network: Any, keep: dict[str, int]) -> bool:
    """Return whether plain passes do this shape's work and that of the masked half of attention."""
    heads = 0 if keep else shape.head_parameters
    try:
        counted = [_multiply_adds(network, tokens, use_cache=False, **keep) for tokens in (1, FIRST)]
    except Exception:  # see `checked`
        return False
    expected = shape.multiply_adds(1, 0), FIRST * (shape.multiply_adds(1, FIRST - 1) - shape.head_parameters) + shape.head_parameters
    return _agrees(counted[0], expected[0], 0) and _agrees(counted[1], expected[1] + (FIRST - 1) * heads, 0)


def _agrees(counted: int, computed: int, uncounted: int) -> bool:
    """Return whether two counts are alike; torch counts elementwise products (`uncounted`) only where they are written as matrices."""
    return (computed - uncounted) * (1 - TOLERANCE) <= counted <= computed * (1 + TOLERANCE)


def _multiply_adds(network: Any, tokens: int, **extra: Any) -> int:
    """Return the multiply-adds of one pass over this many tokens as torch counts them, without convolutions."""
    with FlopCounterMode(display=False) as counter:
        network(_text(network, tokens), **extra)
    counts = counter.get_flop_counts().get("Global", {})
    return sum(count for operation, count in counts.items() if "convolution" not in str(operation)) // 2


def _text(network: Any, tokens: int) -> torch.Tensor:
    """Return the ids of a text of this many tokens, on the network's device."""
    return torch.zeros(1, tokens, dtype=torch.long, device=network.get_input_embeddings().weight.device)


def _numbers(cache: DynamicCache) -> int:
    return sum(tensor.numel() for layer in cache.layers for tensor in cache_tensors(layer))


def _states(network: Any, cache: DynamicCache) -> tuple[int, int]:
    """Return the numbers in all recurrent and convolution states, and the multiply-adds of one token in them, outside of matrices.

    A convolution multiplies each number that it keeps once. Mamba (Gu and Dao 2023, arXiv 2312.00752, algorithm 2) takes four per number of
    its state: decay, input, sum and readout. Mamba 2 shares the decay within a head and takes three. The gated delta rule (Yang et al.
    2024, arXiv 2412.06464) takes four: decay, readout of the key, update, readout of the query.
    """
    numbers = products = 0
    is_delta = getattr(network.config.get_text_config(), "linear_key_head_dim", None) is not None
    for layer in cache.layers:
        for state in tensors_in(getattr(layer, "conv_states", None)):
            numbers, products = numbers + state.numel(), products + state.numel()
        for state in tensors_in(getattr(layer, "recurrent_states", None)):
            numbers, products = numbers + state.numel(), products + state.numel() * (4 if is_delta or state.dim() == 3 else 3)
    return numbers, products
