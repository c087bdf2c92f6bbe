"""What a constraint did to a step: the probability of the tokens that it does not allow, and what the model wanted instead."""

from __future__ import annotations

from dataclasses import dataclass

from core.record.step import Candidate, TokenDistribution

STAGE = "constraint"


@dataclass(frozen=True, slots=True)
class Constrained:
    """excluded: probability, just before the constraint, of the tokens that it does not allow; at_least: the true one may be larger.

    allowed: number of tokens that it allows. wanted: the model's likeliest token if the constraint does not allow it, else None.
    """

    excluded: float
    at_least: bool
    allowed: int
    wanted: Candidate | None


def constrained(seen: TokenDistribution) -> Constrained | None:
    """Return what the constraint did to this step, None without one."""
    if STAGE not in seen.stage_names:
        return None
    row = seen.stage_names.index(STAGE)
    before, after = seen.probabilities[row - 1], seen.probabilities[row]
    kept = after > 0
    if kept.any():  # the kept tokens were all scaled by the same factor
        best = int(after.argmax())
        excluded, at_least = 1.0 - float(before[best] / after[best]), False
    else:
        excluded, at_least = float(before.sum()), True
    wanted = seen.candidates[0] if int(seen.removed_at[0]) == row else None
    return Constrained(min(1.0, max(0.0, excluded)), at_least, seen.stage_kept[row], wanted)
