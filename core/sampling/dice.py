"""Counter-based random numbers (Philox) for a seed, a step and an attempt: dice that can be thrown again, on any machine."""

from __future__ import annotations

import numpy as np

from core.backends import compiled

LARGEST_ATTEMPT = 2**32 - 1


def roll(seed: int, step_index: int, attempt: int = 0) -> float:
    """The number in [0, 1) thrown at this step. It depends on these three alone: not on the device, the model or what was thrown before.

    seed: below 2**64; step_index and attempt: below 2**32. No two of them share their dice.
    """
    if compiled.sampling_is_ready():
        return compiled.roll(seed, step_index, attempt)
    # SeedSequence writes numbers from 2**32 on as two words; behind the others, a seed's upper one cannot pass for a step.
    words = [seed & 0xFFFFFFFF, step_index, attempt, seed >> 32]
    return float(np.random.Generator(np.random.Philox(np.random.SeedSequence(words))).random())
