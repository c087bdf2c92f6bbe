"""Measure the fastest number of threads for a model on this machine, when it is loaded."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from core.backends.threads import FEW, fewest
from core.engine.engine import Engine
from core.engine.kv_cache.kv_cache import KVCache

PROMPT, STEPS = 16, 4  # tokens of the measured prompt, and measured steps after it
WRITTEN = 24  # weight of a step against a prompt, as in a run watched token by token


def fastest(engine: Engine, parameter_count: int) -> int:
    """Return the number of threads that takes the least time for a prompt and its steps; 1 for a small model and on a GPU.

    A larger number wins only if it is clearly faster. Each number tried takes six to twelve short passes.
    """
    if parameter_count < FEW or engine.device.type != "cpu":
        return 1
    before = engine.threads
    try:
        return fewest(lambda count: _seconds(engine, count))
    finally:
        engine.threads = before


def _seconds(engine: Engine, count: int) -> float:
    engine.threads = count
    return _measured(engine)


def _measured(engine: Engine) -> float:
    """Return the seconds of a prompt's pass plus WRITTEN times the fastest step's."""
    ids = np.arange(1, PROMPT + STEPS + 1) * 7919 % engine.vocabulary_size
    cache, times = KVCache(), []
    engine.forward(ids[:1])  # torch creates its threads in the first pass
    for end in range(PROMPT, PROMPT + STEPS + 1):
        started = perf_counter()
        engine.forward(ids[:end], cache)
        times.append(perf_counter() - started)
    cache.clear()
    return times[0] + WRITTEN * min(times[1:])
