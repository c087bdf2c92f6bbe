"""The dice: counter-based random numbers (Philox) for a seed, a step and an attempt, the same on every machine."""

from __future__ import annotations

import numpy as np

LARGEST_ATTEMPT = 2**32 - 1


def roll(seed: int, step_index: int, attempt: int = 0) -> float:
    """Return the roll in [0, 1) of this step. It depends only on the three arguments, not on the device, the model or earlier rolls.

    seed: below 2**64; step_index and attempt: below 2**32. Different arguments use different keys.
    """
    # SeedSequence splits numbers from 2**32 on into two words. The seed's upper word comes last, so it cannot be read as a step index.
    return _number(seed & 0xFFFFFFFF, step_index, attempt, seed >> 32)


def stage_roll(seed: int, step_index: int) -> float:
    """Return the throw in [0, 1) of a stage that decides at random (XTC). It is independent of all rolls for tokens, by a fifth word."""
    return _number(seed & 0xFFFFFFFF, step_index, 0, seed >> 32, 1)


def _number(*words: int) -> float:
    """Return the first number in [0, 1) of the Philox generator with these words, each below 2**32."""
    key = np.random.SeedSequence(np.array(words, dtype=np.uint32))  # three times as fast as from a list
    return float(np.random.Generator(np.random.Philox(key)).random())
