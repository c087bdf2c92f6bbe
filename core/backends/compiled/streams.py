"""Measure in how many streams a model's weights are read fastest on this machine, when compiled code is first used for it.

One processor read bf16 at 12 GB/s with two streams and 8 with one, another at 10 and 26. A row's sums do not depend on it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np

ENOUGH = 96_000_000  # bytes of weights for one measurement: larger than most caches
ROUNDS = 3
CHOICES = (1, 2)

Project = Callable[[np.ndarray, np.ndarray, np.ndarray, int, int, int], None]


def fastest(rows: Sequence[np.ndarray], column: int, project: Project, widths: Sequence[tuple[int, int]]) -> int:
    """Write the fastest number of streams for `project` into this column of each row, and return it.

    rows: columns of a projection each, int64; project: multiplies x float32 [in] with a row's projection into out float32 [out]; widths: in
    and out of each. The first rows with `ENOUGH` bytes together (two per weight) are measured, alternating, in one thread.
    """
    x = np.ones(max((inputs for inputs, _ in widths), default=0), np.float32)
    out = np.empty(max((outputs for _, outputs in widths), default=0), np.float32)
    sizes = np.cumsum([2 * inputs * outputs for inputs, outputs in widths])
    measured = int(np.searchsorted(sizes, ENOUGH)) + 1
    least = dict.fromkeys(CHOICES, float("inf"))
    for _ in range(ROUNDS):
        for streams in CHOICES:
            for row in rows:
                row[column] = streams
            started = perf_counter()
            for row, (inputs, outputs) in zip(rows[:measured], widths, strict=False):
                project(row, x[:inputs], out[:outputs], 0, 1, 0)
            least[streams] = min(least[streams], perf_counter() - started)
    best = min(CHOICES, key=least.__getitem__)
    for row in rows:
        row[column] = best
    return best
