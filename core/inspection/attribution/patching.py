"""Where a fact comes from: activations of one text are put into the pass over another, and what comes back is measured.

The method is activation patching, also called causal tracing (Meng and others 2022, arXiv 2202.05262; Zhang and Nanda 2024, arXiv
2309.16042).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from core.engine.model import LanguageModel
from core.engine.network_layers import Hook, at_layer, checked_layers
from core.errors import InputError
from core.inspection.attribution.passes import Passes, batches, text_and_target
from core.message import Message

SMALLEST = 1e-4  # difference of the two texts' logit differences, below which nothing can come back

Pair = tuple[Sequence[int], Sequence[int]]  # positions in the clean text, and as many positions in the corrupted text


@dataclass(frozen=True, slots=True, eq=False)
class ActivationPatching:
    """How much of the first text's answer comes back. recovered: float64 [layers + 1, positions]; 0: as corrupted, 1: as clean.

    Row 0 is the input of the first layer, row i the output of layer i. clean, corrupted: logit(target) - logit(other) of the two texts.
    """

    recovered: np.ndarray
    clean: float
    corrupted: float


def activation_patching(
    model: LanguageModel,
    clean_ids: Sequence[int] | np.ndarray,
    corrupted_ids: Sequence[int] | np.ndarray,
    target_id: int,
    other_id: int,
    pairs: Sequence[Pair] | None = None,
) -> ActivationPatching:
    """Put the clean text's activation at one layer and position into the corrupted text's pass, for every layer and position.

    pairs: which positions are patched together, by default each position alone, which needs texts of equal length.
    Raises InputError for texts of unequal length or with the same answer, InputError, EmptyPrompt, BadToken, PromptTooLong, ModelError,
    BrokenLogits, NoRoom.
    """
    patcher = Patcher(model, clean_ids, corrupted_ids, target_id, other_id, pairs)
    rows = [row.recovered for row in patcher.measure()]
    return ActivationPatching(np.stack(rows), patcher.clean, patcher.corrupted)


@dataclass(frozen=True, slots=True, eq=False)
class PatchedLayer:
    """One layer, 0 is before the first. recovered: float64 [pairs]; chances: probabilities of target and other, float64 [pairs, 2]."""

    layer: int
    recovered: np.ndarray
    chances: np.ndarray


class Patcher:
    """Patches one pair of texts. clean, corrupted: logit(target) - logit(other), of clean_logits and corrupted_logits [vocabulary].

    layers: the number of layers.
    """

    def __init__(
        self, model: LanguageModel, clean_ids: Any, corrupted_ids: Any, target_id: int, other_id: int, pairs: Sequence[Pair] | None = None
    ) -> None:
        clean, self._target = text_and_target(model, clean_ids, target_id)
        self._ids, self._other = text_and_target(model, corrupted_ids, other_id)
        if pairs is None:
            if len(clean) != len(self._ids):
                raise InputError(_unequal(model, clean, self._ids))
            pairs = [((position,), (position,)) for position in range(len(clean))]
        self._pairs = _checked_pairs(pairs, len(clean), len(self._ids))
        self._same = common_length(clean, self._ids)
        self._passes = Passes(model)
        self._modules = checked_layers(self._passes.network, model.layer_count)
        self.layers = len(self._modules)
        self._states: dict[int, torch.Tensor] = {}
        hooks = [self._noting(layer, len(clean)) for layer in range(self.layers + 1)]
        self.clean_logits = self._passes.logits(clean[None], hooks)[0]
        self.corrupted_logits = self._passes.logits(self._ids[None])[0]
        self.clean, self.corrupted = (float(self._difference(logits[None])[0]) for logits in (self.clean_logits, self.corrupted_logits))
        if not abs(self.clean - self.corrupted) > SMALLEST:
            raise InputError("Both texts give the same answer, so nothing can come back. Choose texts with different answers.")

    def chances_of(self, logits: torch.Tensor) -> tuple[float, float]:
        """Return the probabilities of target and other, for logits [vocabulary]."""
        target_chance, other_chance = logits.double().softmax(-1)[[self._target, self._other]].tolist()
        return target_chance, other_chance

    def measure(self) -> Iterator[PatchedLayer]:
        """Yield each layer from 0 (before the first) on, with how much came back at every pair."""
        changed = [pair for pair, (source, positions) in enumerate(self._pairs) if not self._unchanged(source, positions)]
        for layer in range(self.layers + 1):
            recovered, chances = np.zeros(len(self._pairs)), np.tile(self.chances_of(self.corrupted_logits), (len(self._pairs), 1))
            for rows in batches(len(changed), len(self._ids)):
                some = [changed[row] for row in rows]
                logits = self.patched(layer, some)
                recovered[some] = (self._difference(logits) - self.corrupted) / (self.clean - self.corrupted)
                chances[some] = [self.chances_of(row) for row in logits]
            yield PatchedLayer(layer, recovered, chances)

    def _unchanged(self, source: Sequence[int], positions: Sequence[int]) -> bool:
        """Return whether these activations are equal in both texts, because both begin alike and a model only looks back."""
        return all(position == other and position < self._same for position, other in zip(source, positions, strict=True))

    def patched(self, layer: int, pairs: Sequence[int]) -> torch.Tensor:
        """Return the logits [pairs, vocabulary] of the corrupted text with these pairs, one per row, patched at a layer."""
        texts = np.repeat(self._ids[None], len(pairs), 0)
        chosen = [self._pairs[pair] for pair in pairs]
        start = self._passes.beginning(min((min(positions) for _source, positions in chosen if positions), default=0), len(self._ids))
        return self._passes.continued(texts, start, [self._patching(layer, chosen, start)])

    def _difference(self, logits: torch.Tensor) -> np.ndarray:
        differences: np.ndarray = (logits[:, self._target] - logits[:, self._other]).double().cpu().numpy()
        return differences

    def _noting(self, layer: int, tokens: int) -> Hook:
        """Return the hook that keeps the clean text's activations [tokens, hidden] at a layer."""

        def note(states: torch.Tensor) -> None:
            self._states[layer] = states[0].clone()

        return at_layer(self._modules, layer, note, tokens)

    def _patching(self, layer: int, chosen: Sequence[Pair], start: int) -> Hook:
        """Return the hook that puts the clean activations into each row of the corrupted batch, whose first position is `start`."""

        def patch(states: torch.Tensor) -> torch.Tensor:
            states = states.clone()
            for row, (source, positions) in enumerate(chosen):
                states[row, [position - start for position in positions]] = self._states[layer][list(source)]
            return states

        return at_layer(self._modules, layer, patch, len(self._ids) - start)


def _checked_pairs(pairs: Sequence[Pair], clean: int, corrupted: int) -> list[Pair]:
    """Return the pairs. Raises InputError for positions that are not in the texts, or not equally many."""
    for source, positions in pairs:
        inside = all(0 <= position < clean for position in source) and all(0 <= position < corrupted for position in positions)
        if not inside or len(source) != len(positions):
            raise InputError("These positions do not belong together: each needs one in the first text and one in the second.")
    return list(pairs)


def common_length(left: np.ndarray, right: np.ndarray) -> int:
    """Return how many tokens both texts begin with."""
    count = min(len(left), len(right))
    same = left[:count] == right[:count]
    return count if same.all() else int(same.argmin())


def _unequal(model: LanguageModel, clean: np.ndarray, corrupted: np.ndarray) -> Message:
    """Return the sentence for texts of unequal length, which says where they part."""
    parting = common_length(clean, corrupted)
    tokens = [model.piece(int(ids[parting])) if parting < len(ids) else "…" for ids in (clean, corrupted)]
    return Message(
        "The texts have {clean} and {corrupted} tokens, and they part at token {place}: {one} and {other}. "
        "Use texts of equal length, or align them by words.",
        clean=len(clean),
        corrupted=len(corrupted),
        place=parting + 1,
        one=tokens[0],
        other=tokens[1],
    )
