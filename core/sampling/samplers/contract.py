"""The contract of a sampler: from the text so far to the processor of one step."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from core.sampling.history import History
from core.sampling.observation import Processor
from core.settings import SamplingSettings


@dataclass(frozen=True, slots=True)
class Sampler(ABC):
    """A stage that needs the text, the seed or a state. Its processors take and return scores [1, vocabulary] on any device.

    A processor excludes a token by the score -inf, as those of transformers do. It never reads a number of the device back to the host.
    """

    settings: SamplingSettings

    @abstractmethod
    def at(self, history: History) -> Processor:
        """Return the processor of the step after this text."""

    def setting_at(self, history: History, setting: float) -> float:
        """Return the number that the record shows for the stage: its setting, or the state that was used."""
        return setting
