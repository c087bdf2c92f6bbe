"""Which words mattered: each is hidden in turn, and the change of one token's log-probability is measured with real passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from core.engine.kv_cache.prefix_reuse import KVCache
from core.engine.model import LanguageModel
from core.errors import BadSetting, InputError, ModelError, NotForThisModel
from core.inspection.attribution.passes import (
    Passes,
    at_least_two,
    batches,
    neutral_token,
    other_token,
    reachable,
    target,
)
from core.inspection.inside import existing_ids
from core.message import Message
from core.sources.capabilities import Can, require

METHODS = ("omit", "mask", "replace")
NO_MASK = Message("Not every layer of this architecture has attention, so a word cannot be masked. Leave it out or replace it.")
MOVED = Message(
    "This architecture counts positions by the attention mask, so a masked word would move the others. Leave it out or replace it."
)

Span = tuple[int, int]  # the first token, and the one after the last


@dataclass(frozen=True, slots=True, eq=False)
class Occlusion:
    """The measured effects of hiding parts of a text. effects: float64 [spans], nats; positive: the part spoke for the token.

    spans: the hidden parts, by default each token alone. log_probability: of the target after the whole text, with `against` minus that of
    the other token.
    """

    effects: np.ndarray
    spans: tuple[Span, ...]
    method: str
    log_probability: float


def occlusion(
    model: LanguageModel,
    token_ids: Sequence[int] | np.ndarray,
    target_id: int,
    method: str = "omit",
    spans: Sequence[Span] | None = None,
    against: int | None = None,
) -> Occlusion:
    """Return log p(target | text) - log p(target | text without it) for every token, or for every part in `spans`.

    against: another token. Then log p(target) - log p(against) takes the place of log p(target): positive parts spoke for the target,
    negative ones for the other token.

    method: "omit" leaves the part out, so that later tokens move up. "mask": later positions may not attend to it, and all keep their
    positions; the last token has no later position, so its effect is 0. "replace" puts a neutral word into each of its places.
    Raises BadSetting, InputError, EmptyPrompt, BadToken, PromptTooLong, ModelError, BrokenLogits, NoRoom.
    """
    ids = at_least_two(existing_ids(model, token_ids))
    occluder = Occluder(model, ids, target_id, method, against)
    parts = checked_spans(spans, len(ids))
    effects = np.zeros(len(parts))
    for places, measured in occluder.measure(parts):
        effects[places] = measured
    return Occlusion(effects, parts, method, occluder.log_probability)


def checked_spans(spans: Sequence[Span] | None, count: int) -> tuple[Span, ...]:
    """Return the parts to hide, by default each token alone. Raises InputError for a part outside the text."""
    parts = tuple((int(start), int(stop)) for start, stop in spans) if spans is not None else tuple((i, i + 1) for i in range(count))
    for start, stop in parts:
        if not 0 <= start < stop <= count:
            message = Message("The text has {count} tokens; tokens {start} to {stop} are not a part of it.")
            raise InputError(message.with_values(count=count, start=start, stop=stop))
    return parts


class Occluder:
    """Hides parts of one text. log_probability: of the target after the whole text, nats; see `Occlusion`."""

    def __init__(self, model: LanguageModel, ids: np.ndarray, target_id: int, method: str, against: int | None = None) -> None:
        if method not in METHODS:
            raise BadSetting("{method} is not a way to hide a word. Use omit, mask or replace.", method=str(method)[:40])
        self._model, self._ids, self._method, self._target = model, ids, method, target(model, target_id)
        self._against = other_token(model, against, self._target)
        self._passes = Passes(model) if Can.NETWORK in model.can else _ServedPasses(model, method)
        if method == "mask":
            _must_mask(model)
        self._neutral = neutral_token(model) if method == "replace" else -1
        unchanged = self._passes.log_probabilities(ids[None], self._target, self._against)
        self.log_probability = reachable(unchanged[0], model, self._target, self._against)

    def measure(self, spans: Sequence[Span]) -> Iterator[tuple[list[int], np.ndarray]]:
        """Yield the indices of some parts and their effects, batch after batch. Parts of a batch leave equally many tokens."""
        by_length: dict[int, list[int]] = {}
        for index, (start, stop) in enumerate(spans):
            left = len(self._ids) - (stop - start if self._method == "omit" else 0)
            if left == 0:
                raise InputError("Without this part the text would be empty. Hide a smaller part.")
            by_length.setdefault(left, []).append(index)
        for left, places in by_length.items():
            for rows in batches(len(places), left):
                some = [places[row] for row in rows]
                yield some, self.log_probability - self._without([spans[index] for index in some])

    def _without(self, spans: Sequence[Span]) -> np.ndarray:
        """Return what `log_probability` is without these parts, float64 [spans]."""
        ids, extra = self._ids, {}
        if self._method == "omit":
            texts = np.stack([np.delete(ids, slice(start, stop)) for start, stop in spans])
        else:
            texts = np.repeat(ids[None], len(spans), 0)
        if self._method == "replace":
            for text, (start, stop) in zip(texts, spans, strict=True):
                text[start:stop] = self._neutral
        if self._method == "mask":
            extra = self._masks(spans)
        return self._passes.log_probabilities(texts, self._target, self._against, **extra)

    def _masks(self, spans: Sequence[Span]) -> dict[str, Any]:
        """Return masks [spans, tokens] with the tokens' own positions. The last token stays, because no later position attends to it."""
        mask = np.ones((len(spans), len(self._ids)), dtype=np.int64)
        for row, (start, stop) in zip(mask, spans, strict=True):
            row[start : min(stop, len(self._ids) - 1)] = 0
        extra = {"attention_mask": torch.from_numpy(mask).to(self._model.engine.device)}
        if isinstance(self._passes, Passes) and self._passes.takes_positions:
            extra["position_ids"] = torch.arange(len(self._ids), device=self._model.engine.device)[None].expand(len(spans), -1)
        return extra


def _must_mask(model: LanguageModel) -> None:
    """Raise ModelError if this architecture cannot hide a token from later positions and keep all others as they are."""
    network = model.load_network()
    if model.shape.attention_layers < model.shape.layer_count:
        raise ModelError(NO_MASK)
    if hasattr(network.base_model, "build_alibi_tensor") or getattr(network.config, "alibi", False):
        raise ModelError(MOVED)


class _ServedPasses:
    """Log-probabilities from a server, one request per text."""

    def __init__(self, model: LanguageModel, method: str) -> None:
        if method == "mask":
            require(model, Can.NETWORK)
        self._engine = model.engine

    def log_probabilities(self, ids: np.ndarray, target_id: int, against: int | None = None) -> np.ndarray:
        """Return `log_probability` after each of these texts, float64 [rows]. Raises NotForThisModel, ServerGone."""
        if against is not None:
            return self.log_probabilities(ids, target_id) - self.log_probabilities(ids, against)
        values = []
        for text in ids:
            forward = self._engine.forward(text, KVCache())
            if target_id not in forward.logits:
                forward = self._engine.request_more_logprobs(text, forward, token_id=target_id)
            if target_id not in forward.logits:
                message = Message("The server lists its {listed} likeliest tokens, and this token is not among them. Choose another one.")
                raise NotForThisModel(message.with_values(listed=forward.logits.known))
            values.append(float(forward.logits.values.double().log_softmax(-1)[target_id]))
        return np.array(values)
