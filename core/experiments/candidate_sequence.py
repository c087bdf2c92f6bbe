"""Candidate sequence and batch step: one of several tries at a prompt, and all of them after one more token."""

from __future__ import annotations

import math
from dataclasses import dataclass

from core.record.step import Step


@dataclass(frozen=True, slots=True)
class CandidateSequence:
    """One of the tries so far. number: 0.. ; it threw this attempt of the dice. finished: why it ended, or None."""

    number: int
    path: tuple[Step, ...]
    finished: str | None

    @property
    def text(self) -> str:
        """What it wrote."""
        return "".join(step.text for step in self.path)

    @property
    def log_probability(self) -> float:
        """The model's own log-probability of the whole try (natural logarithm)."""
        return -math.log(2) * sum(step.surprise for step in self.path)


@dataclass(frozen=True, slots=True)
class BatchStep:
    """All tries after one more forward pass. rows: tries that it wrote. tokens: written by all of them so far.

    seconds: of all passes so far, measured. forward_passes: how many there were. alone_seconds, alone_passes: the same for the first try
    written alone, None and 0 until that was measured.
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
        """How many times longer a pass for all takes than a pass for one, measured; None until both are."""
        if not self.alone_seconds or not self.forward_passes:
            return None
        return (self.seconds / self.forward_passes) / (self.alone_seconds / self.alone_passes)
