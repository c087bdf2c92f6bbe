"""Records of best-of-N sampling: `CandidateSequence`, one of several tries at a prompt, and `BatchStep`, all tries after one more token."""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.experiments.stored_fields import StoredStep


@dataclass(frozen=True, slots=True)
class CandidateSequence:
    """One try so far. number: from 0, also the attempt number of its rolls. finished: why it ended, or None."""

    number: int
    path: tuple[StoredStep, ...]
    finished: str | None

    @property
    def text(self) -> str:
        """Return the generated text."""
        return "".join(step.text for step in self.path)

    @property
    def log_probability(self) -> float:
        """Return the model's joint log-probability of the whole try (natural logarithm)."""
        return -math.log(2) * sum(step.surprise for step in self.path)


@dataclass(frozen=True, slots=True)
class BatchStep:
    """All tries after one more forward pass. rows: tries in this pass. tokens: of all tries so far.

    seconds: of all passes so far, measured. forward_passes: their number. alone_seconds, alone_passes: the same for the first try
    generated alone; None and 0 until measured.
    """

    tries: tuple[CandidateSequence, ...]
    rows: int
    tokens: int
    seconds: float
    forward_passes: int
    alone_seconds: float | None = None
    alone_passes: int = 0

    @property
    def slower(self) -> float | None:
        """Return the time of a pass for all tries divided by that of a pass for one, measured; None until both are measured."""
        if not self.alone_seconds or not self.forward_passes:
            return None
        return (self.seconds / self.forward_passes) / (self.alone_seconds / self.alone_passes)
