"""The dice: the roll, a counter-based random number (Philox) for a seed, a step and an attempt, the same on every machine; and its token.

The tokens that can be chosen lie side by side on a strip [0, 1), likeliest first. The roll takes the token whose range includes it.
"""

from __future__ import annotations

import math

import numpy as np

from core.sampling.score_row import DEPTHS, Row

LARGEST_ATTEMPT = 2**32 - 1
LIGHTEST = -80.0  # nats below the likeliest token; smaller weights lose precision


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


def strip_of(row: Row, reach: float, listed: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the strip [0, 1) of the dice: tokens that can be chosen, side by side, likeliest first, at least as far as `reach`.

    listed: ids of tokens that are on it in any case, if they can be chosen.

    Returns their ids, int64 [n], and where each begins and the last one ends, float64 [n + 1].
    """
    if row.ids is not None:
        weights = row.weights
        order = np.lexsort((row.ids, -weights))
        return row.ids[order], _starts(weights[order])
    scores = row.scores[:0] if listed is None else row.scores[listed]
    lowest = float(scores[scores > -math.inf].min(initial=row.scores.dtype.type(row.top)))
    for depth in DEPTHS:
        least = min(row.top - depth, lowest)
        if least - row.top < LIGHTEST:
            break
        slack = 1e-5 + 1e-6 * max(abs(row.top), abs(least))  # different scores can have the same weight, and equal ones are ordered by id
        near = (row.scores >= least - 2 * slack).nonzero()[0]
        scores = row.scores[near]
        weights = np.exp(scores - scores.dtype.type(row.top))
        order = (-weights).argsort(kind="stable")[: np.count_nonzero(scores >= least - slack)]
        starts = _starts(weights[order], row.total)
        if starts[-1] > reach:
            return near[order], starts
    weights = row.weights
    order = (-weights).argsort(kind="stable")
    return order, _starts(weights[order])


def token_at(strip: np.ndarray, starts: np.ndarray, roll: float) -> int:
    """Return the token of the strip whose range includes the roll."""
    return int(strip[min(int(starts[1:].searchsorted(roll, "right")), len(strip) - 1)])


def _starts(weights: np.ndarray, total: float | None = None) -> np.ndarray:
    """Return where each weight begins on a strip of length 1, and the last end, float64 [n + 1]. total: of all weights, if not these."""
    starts = np.zeros(len(weights) + 1)
    weights.cumsum(dtype=np.float64, out=starts[1:])
    starts /= starts[-1] if total is None else total
    return starts
