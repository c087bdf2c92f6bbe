"""Counter-based random numbers (Philox) for a seed, a step and an attempt: dice that can be thrown again, on any machine."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

LARGEST_ATTEMPT = 2**32 - 1
# Who gives compiled code that throws the same, or None: `core.engine.backends.compiled`, once it has it.
QUICK: list[Callable[[], Any]] = []


def roll(seed: int, step_index: int, attempt: int = 0) -> float:
    """The number in [0, 1) thrown at this step. It depends on these three alone: not on the device, the model or what was thrown before.

    seed: below 2**64; step_index and attempt: below 2**32. No two of them share their dice.
    """
    quick = QUICK[0]() if QUICK else None
    if quick is not None:
        return float(quick.roll(seed, step_index, attempt))
    # SeedSequence writes numbers from 2**32 on as two words; behind the others, a seed's upper one cannot pass for a step.
    words = [seed & 0xFFFFFFFF, step_index, attempt, seed >> 32]
    return float(np.random.Generator(np.random.Philox(np.random.SeedSequence(words))).random())
