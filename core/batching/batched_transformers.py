"""Batched passes by transformers' forward, on a CPU or a GPU, for every architecture with plain keys and values.

Requests with the same number of new tokens share a pass: their keys and values are gathered from the blocks, shorter texts are padded on
the left and masked, and the keys and values of the new tokens are written back into the blocks. A pass with padding, and one with several
texts, is compared with passes over one text before it is used; BART takes the positions of a padded text for those of its tokens.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from transformers.cache_utils import DynamicCache, DynamicLayer

from core.backends.rotary_lengths import RotaryLengths
from core.backends.transformers_backend import backend_of
from core.batching.batched_compiled import Part
from core.batching.block_pool import BLOCK_SIZE, slots_of
from core.engine.model import LanguageModel
from core.errors import ModelError, PromptTooLong
from core.inspection.logit_lens import same_probabilities
from core.sources.capabilities import Can, require

COMPARED = 6, 11  # tokens of the two texts that are compared in a pass of both


def refuse_unless_plain(model: LanguageModel) -> None:
    """Raise ModelError for a model on a server, or one without exactly one key and one value per token in every layer."""
    require(model, Can.NETWORK)
    network = model.load_network()
    config = network.config.get_text_config()
    plain = "past_key_values" in inspect.signature(network.forward).parameters and all(
        type(layer) is DynamicLayer for layer in DynamicCache(config=config).layers
    )
    if not plain or not model.shape.is_uniform:
        raise ModelError(
            "{model} does not keep one key and one value per token in every layer, so its requests cannot share "
            "blocks. Choose a model with plain attention, such as the bundled one.",
            model=model.name,
        )


class _Part(NamedTuple):
    token_ids: Sequence[int]
    start: int
    block_table: Sequence[int]


class BatchedTransformers:
    """See `core.batching.batched_compiled.BatchRunner`. Raises ModelError for a model that cannot be batched in this way.

    Texts of unequal length do not share a pass if padding changes their probabilities. No two do if a batch changes them. The caller holds
    the engine's lock.
    """

    within_pass = False

    def __init__(self, model: LanguageModel, blocks: int) -> None:
        refuse_unless_plain(model)
        self._network = model.load_network()
        accepted = inspect.signature(self._network.forward).parameters
        self._takes_positions = "position_ids" in accepted
        self._takes_mask = "attention_mask" in accepted
        self._last_only = {"logits_to_keep": 1} if "logits_to_keep" in accepted else {}
        self._config = self._network.config.get_text_config()
        self._rotary = RotaryLengths.of(self._config)
        self._device = torch.device(model.device)
        self._slots = blocks * BLOCK_SIZE
        self._stores: list[tuple[torch.Tensor, torch.Tensor]] = []
        self.padded_tokens = 0
        self.bytes = model.cache_bytes_per_token * self._slots
        self._shares, self._pads = backend_of(model).batches_truly(), True
        self._pads = blocks < 2 or not self._shares or self._pads_truly(model)

    def _pads_truly(self, model: LanguageModel) -> bool:
        """Return whether two texts of unequal length that share a pass get the probabilities of passes over one text."""
        texts = [np.arange(count, dtype=np.int64) % model.vocabulary_size for count in COMPARED]
        for block, text in enumerate(texts):
            self.run([_Part(text[:-1].tolist(), 0, (block,))])
        shared = self.run([_Part(text[-1:].tolist(), len(text) - 1, (block,)) for block, text in enumerate(texts)])
        alone = [backend_of(model).run(text, None) for text in texts]
        return all(same_probabilities(left, right, model.dtype) for left, right in zip(shared, alone, strict=True))

    @torch.inference_mode()
    def run(self, parts: Sequence[Part], every: bool = False) -> torch.Tensor:
        groups: dict[tuple[int, int, int, int], list[int]] = defaultdict(list)
        for index, part in enumerate(parts):
            apart = 0 if self._pads else part.start, 0 if self._shares else index
            groups[len(part.token_ids), self._factors(part), *apart].append(index)
        self.padded_tokens = 0
        answers: dict[int, torch.Tensor] = {}
        for (count, *_each), indices in groups.items():
            logits = self._pass([parts[index] for index in indices], count, every)
            answers |= dict(zip(indices, logits if every else logits[:, -1:], strict=True))
        return torch.cat([answers[index] for index in range(len(parts))]).float()

    def _factors(self, part: Part) -> int:
        """Return the rotary factors for this part. Raises PromptTooLong if its keys in the blocks were computed with other factors."""
        factors = self._rotary.factors(part.start + len(part.token_ids))
        if part.start and (factors != self._rotary.factors(part.start) or (self._rotary.each_length and factors)):
            raise PromptTooLong(
                "This model encodes positions differently beyond {most} tokens. In a batch, every text must be shorter.",
                most=self._rotary.limit,
            )
        return factors

    def _pass(self, parts: Sequence[Part], count: int, every: bool) -> torch.Tensor:
        """Compute one pass over parts with `count` new tokens each; return logits [parts, count or 1, vocabulary]."""
        starts = np.array([part.start for part in parts])
        longest = int(starts.max())
        cache = DynamicCache(config=self._config)
        if longest:
            slots = np.zeros((len(parts), longest), dtype=np.int64)
            for row, part in enumerate(parts):
                slots[row, longest - part.start :] = slots_of(part.block_table, 0, part.start)
            where = torch.from_numpy(slots.ravel()).to(self._device)
            for layer, stores in enumerate(self._stores):
                held = (store.index_select(0, where).unflatten(0, (len(parts), longest)).transpose(1, 2) for store in stores)
                cache.update(*held, layer)
        extra: dict[str, Any] = {} if every else dict(self._last_only)
        if self._takes_positions:
            extra["position_ids"] = torch.from_numpy(starts[:, None] + np.arange(count)).to(self._device)
        if self._takes_mask and int(starts.min()) < longest:
            mask = np.arange(longest + count) >= longest - starts[:, None]
            extra["attention_mask"] = torch.from_numpy(mask.astype(np.int64)).to(self._device)
        self.padded_tokens += int((longest - starts).sum())
        ids = torch.from_numpy(np.array([list(part.token_ids) for part in parts], dtype=np.int64)).to(self._device)
        logits = self._network(ids, past_key_values=cache, use_cache=True, **extra).logits
        self._keep(parts, count, cache)
        return logits

    def _keep(self, parts: Sequence[Part], count: int, cache: DynamicCache) -> None:
        """Write the keys and values of the new tokens into the blocks."""
        if not self._stores:
            self._stores = [(self._store(layer.keys), self._store(layer.values)) for layer in cache.layers]
        new = np.concatenate([slots_of(part.block_table, part.start, part.start + count) for part in parts])
        where = torch.from_numpy(new).to(self._device)
        for layer, stores in zip(cache.layers, self._stores, strict=True):
            for store, tensor in zip(stores, (layer.keys, layer.values), strict=True):
                store.index_copy_(0, where, tensor[:, :, -count:].transpose(1, 2).flatten(0, 1))

    def _store(self, like: torch.Tensor) -> torch.Tensor:
        """Return zeros for all blocks, [slots, KV heads, size]."""
        return torch.zeros((self._slots, like.shape[1], like.shape[3]), dtype=like.dtype, device=like.device)
