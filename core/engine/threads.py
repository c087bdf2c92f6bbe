"""How many threads a model is fastest with on this machine, measured when it is loaded."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from core.backends.threads import FEW, fewest
from core.engine.engine import Engine
from core.engine.kv_cache.kv_cache import KVCache

PROMPT, STEPS = 16, 4  # tokens read at once and tokens after them, for one measurement
WRITTEN = 24  # weight of a step against a prompt, as where somebody reads along


def fastest(engine: Engine, parameter_count: int) -> int:
    """The number of threads with which a prompt and the steps after it take the least time; one for a small model, and on a GPU.

    Fewer win unless more are clearly faster. Takes six to twelve short passes for each number that is tried.
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
    """Seconds of a prompt's pass and of some steps after it; the fastest step stands for all."""
    ids = np.arange(1, PROMPT + STEPS + 1) * 7919 % engine.vocabulary_size
    cache, times = KVCache(), []
    engine.forward(ids[:1])  # threads are made when they are first needed
    for end in range(PROMPT, PROMPT + STEPS + 1):
        started = perf_counter()
        engine.forward(ids[:end], cache)
        times.append(perf_counter() - started)
    cache.clear()
    return times[0] + WRITTEN * min(times[1:])
