"""Cost formulas: multiply-adds, KV cache and weight bytes, time and energy of a token or an answer; its money is in `receipt.py`.

Formulas take only a shape and counts. One multiply-add is two floating point operations. Each weight that a token is multiplied with is one
multiply-add. Attention adds, per attention layer, heads x (key size + value size) for every attended position. The elementwise products of
recurrences and convolutions count too (`ModelShape.scan_multiply_adds`). NaN: not known for this architecture.

    >>> from core.costs.operations_and_bytes import MODELS, cache_bytes, multiply_adds
    >>> llama = MODELS["llama-3.1-70b"].shape
    >>> cache_bytes(llama, tokens=1, item_size=2)
    327680
    >>> f"{sum(multiply_adds(llama, context) for context in range(1, 1001)) / 1e12:.1f} trillion"
    '70.2 trillion'
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.costs.published import CARDS, MODELS, Card
from core.engine.shape import ModelShape
from core.errors import BadSetting
from core.message import Number

MEASURED, COMPUTED, ASSUMED = "measured", "computed", "assumed"  # by a clock or a tensor; by a formula; editable
LARGEST = 10**15  # upper bound for counts of tokens, requests or bytes


def multiply_adds(shape: ModelShape, context: int) -> float:
    """Return the multiply-adds of one token that attends to `context` positions, its own too: each used weight once, and attention."""
    context = _count(context, "context")
    return shape.multiply_adds(1, max(1, context) - 1) if shape.work_known else math.nan


def attention_multiply_adds(shape: ModelShape, context: int) -> float:
    """Return the multiply-adds of one token's attention to `context` positions; a sliding window limits them to its size."""
    context = _count(context, "context")
    return (shape.attention_multiply_adds(1, context - 1) if context else 0) if shape.work_known else math.nan


def pass_multiply_adds(shape: ModelShape, computed: int, reused: int = 0) -> float:
    """Return the multiply-adds of one forward pass over `computed` new positions after `reused` ones.

    Each position attends to itself and all before it; only the last one is multiplied with the final matrix. Masked products, which a plain
    attention kernel also computes, are not counted.
    """
    computed, reused = _count(computed, "computed"), _count(reused, "reused")
    if computed == 0:
        return 0
    return shape.multiply_adds(computed, reused) if shape.work_known else math.nan


def answer_multiply_adds(shape: ModelShape, prompt_tokens: int, new_tokens: int, cached: bool = True) -> float:
    """Return the multiply-adds of reading a prompt and generating `new_tokens` after it, with or without a cache."""
    prompt_tokens, new_tokens = _count(prompt_tokens, "prompt"), _count(new_tokens, "answer", most=100_000)
    if new_tokens == 0:
        return 0
    if not cached:
        return sum(pass_multiply_adds(shape, prompt_tokens + index) for index in range(new_tokens))
    return pass_multiply_adds(shape, prompt_tokens) + sum(
        pass_multiply_adds(shape, 1, prompt_tokens + index) for index in range(new_tokens - 1)
    )


def cache_bytes(shape: ModelShape, tokens: int, item_size: float) -> float:
    """Return the bytes of the cache after `tokens` tokens: per token, layers x KV heads x (key + value size) x bytes per number.

    A layer with a sliding window keeps window - 1 tokens, because the newest token adds its own. States of recurrences do not grow.
    """
    return shape.cache_bytes(_count(tokens, "tokens"), _amount(item_size, "bytes per number"))


def weight_bytes(shape: ModelShape, item_size: float) -> int:
    """Return the bytes of all weights."""
    return math.ceil(shape.parameter_count * _amount(item_size, "bytes per number"))


def pass_bytes(
    shape: ModelShape, computed: int, reused: int, weight_item: float, cache_item: float, *, all_choose_the_same: bool = False
) -> float:
    """Return the bytes that one forward pass reads: every used weight once, and the cached keys and values once.

    In a mixture of experts this is the mean over tokens that choose their experts independently, each expert equally often. n tokens that
    choose a of E experts use E (1 - (1 - a / E)^n) of them. all_choose_the_same: return the least instead, a experts for any n.
    """
    computed = _count(computed, "computed")
    if computed == 0:
        return 0
    if not shape.work_known:
        return math.nan
    idle, more = shape.feed_forward_parameters - shape.active_feed_forward_parameters, 0.0
    if idle and not all_choose_the_same:
        more = 1 - (1 - shape.active_experts / max(shape.expert_count, 1)) ** (computed - 1)  # of the experts that one token leaves idle
    weights = shape.matrix_parameters + idle * more + shape.hidden_size * computed
    return math.ceil(weights * _amount(weight_item, "bytes per number")) + cache_bytes(shape, reused, cache_item)


def readers_that_fit(shape: ModelShape, memory_bytes: float, context: int, weight_item: float, cache_item: float) -> int:
    """Return how many requests with a KV cache of `context` tokens fit into memory beside the weights; 0 if the weights do not fit."""
    free = _amount(memory_bytes, "memory", most=LARGEST) - weight_bytes(shape, weight_item)
    per_reader = cache_bytes(shape, context, cache_item)
    if free <= 0 or math.isnan(per_reader):
        return 0
    return int(free // per_reader) if per_reader else LARGEST


@dataclass(frozen=True, slots=True)
class Forecast:
    """The cost of an answer on other hardware. Work and bytes are computed from the shape; all else uses data sheets and is assumed.

    cards: number that holds weights and cache, a possible size for tensor parallelism. seconds: for each pass the slower of arithmetic and
    memory, at the speed in the data sheet.
    """

    multiply_adds: float
    bytes_read: float
    memory_bytes: float
    cards: int
    seconds: float
    watt_hours: float


def tensor_parallel_size(shape: ModelShape, memory_bytes: float, card: Card) -> int:
    """Return how many of these cards hold this much memory: 1, 2, 4, 8, ... while every card gets the same number of heads.

    A model that needs more cards is also split into pipeline stages; the result is then a multiple of the largest such group.
    """
    needed = max(1, math.ceil(_amount(memory_bytes, "memory", most=LARGEST) / card.memory_bytes))
    size = 1
    while size < needed and shape.head_count % (2 * size) == 0:
        size *= 2
    return size * math.ceil(needed / size)


def forecast(shape: ModelShape, prompt_tokens: int, new_tokens: int, card: Card, item_size: float = 2.0) -> Forecast:
    """Return the cost of reading `prompt_tokens` and generating `new_tokens` on as many of these cards as the model needs."""
    prompt_tokens, new_tokens = _count(prompt_tokens, "prompt"), _count(new_tokens, "answer", most=100_000)
    memory = weight_bytes(shape, item_size) + cache_bytes(shape, prompt_tokens + new_tokens, item_size)
    cards = tensor_parallel_size(shape, memory, card)
    work = traffic = 0.0
    seconds = 0.0
    for index in range(new_tokens):
        computed, reused = (1, prompt_tokens + index - 1) if index else (prompt_tokens, 0)
        adds, moved = pass_multiply_adds(shape, computed, reused), pass_bytes(shape, computed, reused, item_size, item_size)
        work, traffic = work + adds, traffic + moved
        seconds += max(2 * adds / card.flops, moved / card.bytes_per_second) / cards
    return Forecast(work, traffic, memory, cards, seconds, cards * card.watts * seconds / 3600)


def _count(value: float, what: str, most: int = LARGEST) -> int:
    number = _amount(value, what, most)
    if number != int(number):
        raise BadSetting("The number of {what} must be a whole number, not {number}.", what=what, number=Number(number, "g"))
    return int(number)


def _amount(value: float, what: str, most: float = LARGEST) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or not 0 <= value <= most:
        quoted_value = str(value)[:20]
        raise BadSetting(
            "{name} must be a number from 0 to {most}, not {shown}.", name=what.capitalize(), most=Number(most, ",.0f"), shown=quoted_value
        )
    return value


__all__ = ["ASSUMED", "CARDS", "COMPUTED", "MEASURED", "MODELS", "Card", "Forecast", "ModelShape"]
__all__ += ["answer_multiply_adds", "attention_multiply_adds", "cache_bytes", "forecast", "multiply_adds"]
__all__ += ["pass_bytes", "pass_multiply_adds", "readers_that_fit", "tensor_parallel_size", "weight_bytes"]
