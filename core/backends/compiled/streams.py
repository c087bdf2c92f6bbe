"""In how many streams a model's weights are read fastest on this machine, measured when compiled code takes the model over.

Of two processors one read bf16 at 12 GB/s with two outputs side by side and 8 with one, the other at 10 and 26. A row's sums are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np

ENOUGH = 96_000_000  # bytes of weights for one measurement: more than most caches hold
ROUNDS = 3
CHOICES = (1, 2)

Project = Callable[[np.ndarray, np.ndarray, np.ndarray, int, int, int], None]


def fastest(rows: Sequence[np.ndarray], column: int, project: Project, widths: Sequence[tuple[int, int]]) -> int:
    """Have each of these rows of a table hold, in this column, the number of streams with which `project` is fastest; that number.

    rows: what describes a projection, int64; project: takes a row, x float32 [in] and out float32 [out] through it; widths: in and out of
    each. As many of the first rows as have `ENOUGH` bytes (two for each weight) are measured, taking turns, in one thread.
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
