"""Adding numbers to the scores of some tokens: what logit bias, presence and frequency penalty and DRY do."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from core.device import to_device


@dataclass(frozen=True, slots=True, eq=False)
class Addition:
    """A processor that adds to the scores of some tokens. Ids beyond the vocabulary have no effect.

    ids: int64 [changed], ascending, each once. amounts: float32 [changed]; -inf excludes a token.
    """

    ids: np.ndarray
    amounts: np.ndarray

    def __call__(self, _ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        known = self.ids < scores.shape[-1]  # some models accept more token ids than they have logits
        if not known.any():
            return scores
        places, change = to_device(self.ids[known], scores.device), to_device(self.amounts[known], scores.device)
        return scores.index_add(1, places, change[None])


def places_of(ids: np.ndarray, kept: np.ndarray | None, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the places of these tokens among the `kept` ones (ascending; None: a vocabulary of this size), and which of them are there."""
    if kept is None:
        known = ids < size
        return ids[known], known
    places = np.minimum(kept.searchsorted(ids), len(kept) - 1)
    known = kept[places] == ids
    return places[known], known
