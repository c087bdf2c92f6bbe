"""The contract of a sampler: from the text so far to the processor of one step. The processor that adds numbers to scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch

from core.device import to_device
from core.sampling.observation import History, Processor
from core.sampling.settings import SamplingSettings


@dataclass(frozen=True, slots=True)
class Sampler(ABC):
    """A stage that needs the text, the seed or a state. Its processors take and return scores [1, vocabulary] on any device.

    A processor excludes a token by the score -inf, as those of transformers do. It never reads a number of the device back to the host.
    stage: the stage that it computes, by its name in the table of settings. local: its processor gives the kept tokens the same scores if
    the excluded ones are left out.
    """

    stage: ClassVar[str]
    local: ClassVar[bool] = False
    settings: SamplingSettings

    @abstractmethod
    def at(self, history: History) -> Processor:
        """Return the processor of the step after this text."""

    def setting_at(self, history: History, setting: float) -> float:
        """Return the number that the record shows for the stage: its setting, or the state that was used."""
        return setting


@dataclass(frozen=True, slots=True, eq=False)
class Addition:
    """A processor that adds to the scores of some tokens. Ids beyond the vocabulary have no effect.

    ids: int64 [changed], ascending, each once. amounts: float32 or float64 [changed]; -inf excludes a token.
    """

    ids: np.ndarray
    amounts: np.ndarray

    def __call__(self, _ids: torch.Tensor, scores: torch.Tensor) -> torch.Tensor:
        inside = self.ids < scores.shape[-1]  # some models accept more token ids than they have logits
        if not inside.any():
            return scores
        places, change = to_device(self.ids[inside], scores.device), to_device(self.amounts[inside], scores.device)
        kind = torch.promote_types(scores.dtype, change.dtype)
        return scores.to(kind).index_add(1, places, change[None].to(kind))


def places_of(ids: np.ndarray, listed_ids: np.ndarray | None, size: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the indices of these tokens among the `listed_ids` ones (None: a vocabulary of this size), and which of them are there."""
    if listed_ids is None:
        present = ids < size
        return ids[present], present
    order = listed_ids.argsort()
    places = order[np.minimum(listed_ids.searchsorted(ids, sorter=order), len(listed_ids) - 1)]
    present = listed_ids[places] == ids
    return places[present], present
