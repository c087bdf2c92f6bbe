"""How many threads a model is fastest with on this machine, measured when it is loaded."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from core.engine.engine import Engine

FEW = 20_000_000  # parameters; a step of so few is over before several threads have met
ENOUGH = 1.2  # so many times faster more threads have to be: beside a browser they wait for each other
UNCLEAR = 1.45  # where they seem faster, but not by so much, both are measured once more: something else may have run meanwhile
PROMPT, STEPS = 16, 4  # tokens read at once and tokens after them, for one measurement
WRITTEN = 24  # a step counts so often for every prompt, as where somebody reads along


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


def fewest(seconds: Callable[[int], float]) -> int:
    """The smallest number of threads that no larger one clearly beats; seconds: measures what so many take."""
    best, least = 1, float("inf")
    for count in choices():
        taken = seconds(count)
        if 1 < least / taken < UNCLEAR:
            least, taken = min(least, seconds(best)), min(taken, seconds(count))
        if taken * ENOUGH > least:
            break
        best, least = count, taken
    return best


def choices() -> list[int]:
    """What is tried: one, half of the processors, all but one, all."""
    cores = os.cpu_count() or 1
    return sorted({1, max(1, cores // 2), max(1, cores - 1), cores})


def _seconds(engine: Engine, count: int) -> float:
    engine.threads = count
    return _measured(engine)


def _measured(engine: Engine) -> float:
    """Seconds of a prompt's pass and of some steps after it; the fastest step stands for all."""
    from core.kv_cache.kv_cache import KVCache

    ids = np.arange(1, PROMPT + STEPS + 1) * 7919 % engine.vocabulary_size
    cache, times = KVCache(), []
    engine.forward(ids[:1])  # threads are made when they are first needed
    for end in range(PROMPT, PROMPT + STEPS + 1):
        started = perf_counter()
        engine.forward(ids[:end], cache)
        times.append(perf_counter() - started)
    cache.clear()
    return times[0] + WRITTEN * min(times[1:])
