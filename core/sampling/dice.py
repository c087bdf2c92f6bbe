"""Counter-based random numbers (Philox) for a seed, a step and an attempt: dice that can be thrown again, on any machine."""

from __future__ import annotations

import numpy as np


def roll(seed: int, step_index: int, attempt: int = 0) -> float:
    """The number in [0, 1) thrown at this step. It depends on these three alone: not on the device, the model or what was thrown before."""
    return float(np.random.Generator(np.random.Philox(np.random.SeedSequence([seed, step_index, attempt]))).random())
