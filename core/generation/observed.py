"""An observation of one step as the fields of its record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.record.step import ForwardPass, Vocabulary
from core.record.top_logprobs import TopLogprobs
from core.sampling.observation import Observation
from core.settings import SamplingSettings

if TYPE_CHECKING:
    from core.engine.engine import Forward

BESIDE = 1e-3  # of the strip; within this distance of a token's segment, rounding may decide whether a roll falls on it
ARRAYS = tuple(name for name in Observation.__slots__ if name != "chosen")


def place(forward: Forward, index: int, position: int, settings: SamplingSettings, vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the fields of a record for its place in the text and for the cost of its pass."""
    done = ForwardPass(
        forward.computed_tokens,
        forward.reused_tokens,
        forward.cache_bytes,
        forward.seconds,
        forward.queue_seconds,
        forward.server_seconds,
        forward.held_bytes,
    )
    return {"index": index, "position": position, "settings": settings, "forward": done, "vocabulary": vocabulary}


def arrays(seen: Observation, listed: TopLogprobs | None) -> dict[str, Any]:
    """Return the fields of a record that hold the numbers. listed: the tokens of a server that does not send all logits."""
    found = {name: getattr(seen, name) for name in ARRAYS}
    if listed is None:
        return found
    exact = listed.exact_stages(zip(seen.stage_names, seen.stage_settings, strict=True))
    ranks = np.minimum(seen.ranks, len(listed) + 1)  # the true rank of a forced, unlisted token is unknown
    return found | {"ranks": ranks, "top_logprobs_count": len(listed), "stage_exact": exact}


def falls_beside(seen: Observation, roll: float) -> bool:
    """Return whether this roll falls on the chosen token's segment or near it."""
    column = int(np.flatnonzero(seen.token_ids == seen.chosen)[0])
    start, width = float(seen.dice_starts[column]), float(seen.probabilities[-1, column])
    return start - BESIDE <= roll <= start + width + BESIDE  # False if the token has no segment (NaN)
