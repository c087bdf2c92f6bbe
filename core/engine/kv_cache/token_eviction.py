"""KV cache with room for a limited number of tokens, and eviction at any position. A page holds one token's keys and values.

Eviction changes no positions. A page that stays keeps its own, because rotary and learned positions are part of its keys. A new token
gets its true position in the text. Architectures that compute distances from the order of the pages (ALiBi) close the gap: `positions` says
which. No token gets a position beyond the model's context. Later pages keep what they computed from an evicted page.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Sequence
from typing import Any

import torch
from transformers.cache_utils import DynamicCache, DynamicLayer

from core.backends.cache_bytes import bytes_of_layers
from core.backends.rotary_lengths import RotaryLengths
from core.device import enough_memory
from core.engine.architecture_limits import possible_with
from core.engine.kv_cache.quantized import QuantizedLayer, quantized_cache
from core.engine.model import LanguageModel
from core.errors import EmptyPrompt, ModelError, PromptTooLong
from core.message import Message
from core.sources.capabilities import Can, require

KEPT, CLOSED_UP = "kept", "closed up"
SLIDING_WINDOW, ATTENTION_SINKS = "forget the oldest", "forget, but keep the first"  # policies that evict


class EvictingKVCache:
    """The pages of one request. held: their positions, in order. next_position: position of the next token.

    bits: 8 or 4 to quantize the pages, 0 to keep the model's own type. Raises ModelError for a model without one page per token
    (recurrences, convolutions) or with sliding windows.
    """

    def __init__(self, model: LanguageModel, bits: int = 0) -> None:
        require(model, Can.NETWORK)
        self._network = model.load_network()
        self._model = model
        accepted = inspect.signature(self._network.forward).parameters
        config = self._network.config.get_text_config()
        plain = DynamicCache(config=config)
        pages = "past_key_values" in accepted and all(type(layer) is DynamicLayer for layer in plain.layers)
        if not pages or not model.shape.is_uniform:
            raise ModelError(
                "{model} does not keep one key and one value per token in every layer. Choose a model with plain "
                "attention, such as the bundled one.",
                model=model.name,
            )
        self._cache: Any = quantized_cache(model.shape.layer_count, bits) if bits else plain
        self._takes_positions = "position_ids" in accepted
        self._by_distance = not self._takes_positions or bool(getattr(config, "alibi", False))
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in accepted else {}
        self.held: list[int] = []
        self.next_position = 0

    @property
    def positions(self) -> str:
        """The distances between pages after an eviction: "kept" or "closed up"."""
        return CLOSED_UP if self._by_distance else KEPT

    @property
    def bytes(self) -> int:
        """Bytes of the held tensors."""
        return bytes_of_layers(self._cache.layers).used

    def copied(self) -> EvictingKVCache:
        """Return an independent copy of the pages."""
        twin = copy.copy(self)
        twin._cache, twin.held = copy.deepcopy(self._cache), list(self.held)
        return twin

    def read(self, token_ids: Sequence[int]) -> torch.Tensor:
        """Compute these tokens, store a page for each and return the next token's logits, float32 [vocabulary].

        Raises PromptTooLong at the end of the model's context, EmptyPrompt and NoRoom.
        """
        if not len(token_ids):
            raise EmptyPrompt("The text is empty. Write a few words first.")
        positions = list(range(self.next_position, self.next_position + len(token_ids)))
        if positions[-1] >= self._model.context_length:
            raise PromptTooLong(
                "This text needs more than the {most} positions of {model}. Shorten it.",
                model=self._model.name,
                most=self._model.context_length,
            )
        rotary = RotaryLengths.of(self._network.config.get_text_config())
        if self.next_position and rotary.factors(self.next_position) != rotary.factors(positions[-1] + 1):
            raise PromptTooLong(
                "This model encodes positions differently beyond {most} tokens, so its cache ends there.", most=rotary.limit
            )
        device = self._network.get_input_embeddings().weight.device
        extra: dict[str, Any] = dict(self._last_only)
        if self._takes_positions:
            extra["position_ids"] = torch.tensor([positions], device=device)
        inputs = torch.tensor([list(token_ids)], device=device)
        message = Message("There is not enough memory for another cached token. Start with a shorter text.")
        with enough_memory(message), possible_with(self._model.name), self._model.engine.lock.acquire(), torch.inference_mode():
            logits = self._network(inputs, past_key_values=self._cache, use_cache=True, **extra).logits[0, -1].float()
        self.held += positions
        self.next_position += len(token_ids)
        return logits

    def make_room(self, needed: int, budget: float, policy: str, sinks: int = 0) -> list[int] | None:
        """Evict a page if `needed` more bytes do not fit into a budget of bytes. Return its position in a list; None if no page may go.

        policy: SLIDING_WINDOW evicts the oldest page, ATTENTION_SINKS the oldest one after the first `sinks` tokens; others evict none.
        """
        if self.bytes + needed <= budget:
            return []
        if policy not in (SLIDING_WINDOW, ATTENTION_SINKS):
            return None
        return self.evict_oldest(1, sinks if policy == ATTENTION_SINKS else 0) or None

    def evict_oldest(self, count: int, sinks: int = 0) -> list[int]:
        """Evict the `count` oldest pages after the first `sinks` tokens of the text; return their positions."""
        first = sum(position < sinks for position in self.held)
        gone = self.held[first : first + max(0, count)]
        if not gone:
            return []
        left = [index for index in range(len(self.held)) if not first <= index < first + len(gone)]
        for layer in self._cache.layers:
            _keep(layer, left)
        self.held = [self.held[index] for index in left]
        return gone


def _keep(layer: Any, indices: list[int]) -> None:
    """Copy the pages at these indices, so that the memory of the others is freed."""
    if isinstance(layer, QuantizedLayer):
        if layer.packed is not None:
            index = torch.tensor(indices, device=layer.device)
            layer.packed = (layer.packed[0].tokens(index), layer.packed[1].tokens(index))
        return
    index = torch.tensor(indices, device=layer.keys.device)
    layer.keys, layer.values = layer.keys.index_select(-2, index), layer.values.index_select(-2, index)
