"""The dice: counter-based random numbers (Philox) for a seed, a step and an attempt, the same on every machine."""

from __future__ import annotations

import numpy as np

from core.backends import compiled

LARGEST_ATTEMPT = 2**32 - 1


def roll(seed: int, step_index: int, attempt: int = 0) -> float:
    """Return the roll in [0, 1) of this step. It depends only on the three arguments, not on the device, the model or earlier rolls.

    seed: below 2**64; step_index and attempt: below 2**32. Different arguments use different keys.
    """
    if compiled.sampling_is_ready():
        return compiled.roll(seed, step_index, attempt)
    # SeedSequence splits numbers from 2**32 on into two words. The seed's upper word comes last, so it cannot be read as a step index.
    words = [seed & 0xFFFFFFFF, step_index, attempt, seed >> 32]
    return float(np.random.Generator(np.random.Philox(np.random.SeedSequence(words))).random())


def stage_roll(seed: int, step_index: int) -> float:
    """Return the throw in [0, 1) of a stage that decides at random (XTC). It is independent of all rolls for tokens, by a fifth word."""
    words = [seed & 0xFFFFFFFF, step_index, 0, seed >> 32, 1]
    return float(np.random.Generator(np.random.Philox(np.random.SeedSequence(words))).random())
