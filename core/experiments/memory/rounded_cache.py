"""Store the KV cache with fewer bits; measure the change of the probabilities and the saved bytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from core.backends.cache_bytes import bytes_of_layers
from core.batching.batched_transformers import refuse_unless_plain
from core.costs.operations_and_bytes import cache_bytes
from core.engine.kv_cache.quantized import BITS as CACHE_BITS
from core.engine.kv_cache.quantized import quantized_cache
from core.engine.model import LanguageModel
from core.errors import BadSetting
from core.experiments.shared.closeness import divergence, perplexity, read_text
from core.experiments.shared.prompt_tokens import prompt_ids

MOST_TOKENS = 256  # of the text that is read


@dataclass(frozen=True, slots=True)
class RoundedCache:
    """The model with a KV cache of `bits` bits, compared with the full cache.

    kl: mean Kullback-Leibler divergence from the full model's probabilities along the text, nats. kept: fraction of places with the same
    likeliest token. perplexity, full_perplexity: of the text. bytes: of the quantized tensors, measured; full_bytes: computed.
    """

    bits: int
    tokens: int
    kl: float
    kept: float
    perplexity: float
    full_perplexity: float
    bytes: int
    full_bytes: float


def rounded_cache(model: LanguageModel, text: str, bits: Sequence[int] = CACHE_BITS) -> Iterator[RoundedCache]:
    """Read the first 256 tokens of a text with a cache of each of these bits; every token attends to quantized keys and values only.

    Raises BadSetting, EmptyPrompt, PromptTooLong, ModelError for a model without plain keys and values, NoRoom.
    """
    refuse_unless_plain(model)
    if not bits or any(isinstance(count, bool) or count not in CACHE_BITS for count in bits):
        raise BadSetting("Keys and values can be stored with {names} bits.", names=" or ".join(map(str, CACHE_BITS)))
    ids = np.array(prompt_ids(model, text)[: min(MOST_TOKENS, model.context_length)], dtype=np.int64)
    network = model.load_network()
    full, _each = read_text(model, network, ids)
    for count in bits:
        cache = quantized_cache(model.layer_count, count)
        logs, _each = read_text(model, network, ids, past_key_values=cache, use_cache=True)
        yield RoundedCache(
            count,
            len(ids),
            float(np.mean(divergence(full, logs))),
            float((logs.argmax(1) == full.argmax(1)).double().mean()),
            perplexity(logs, ids),
            perplexity(full, ids),
            bytes_of_layers(cache.layers).used,
            cache_bytes(model.shape, len(ids), model.cache_bytes_per_token / model.shape.cache_numbers_per_token),
        )
