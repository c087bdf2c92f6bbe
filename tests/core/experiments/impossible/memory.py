"""Impossible input of the page memory."""

from __future__ import annotations

import math

from core.experiments.memory.cache_budget import MemoryBudget, fill, own_task
from core.experiments.memory.rounded_cache import rounded_cache
from tests.core.experiments.impossible import TEXT, Settings

SETTINGS: Settings = {
    "budget": (lambda m, v: MemoryBudget(v), [-1, 10**16, 1.5, "1"]),
    "readers of a budget": (lambda m, v: MemoryBudget(1000, readers=v), [0, 65, True]),
    "first tokens kept": (lambda m, v: MemoryBudget(1000, sinks=v), [-1, math.nan]),
    "length of a fill": (lambda m, v: fill(m, TEXT, MemoryBudget(10**9), length=v), [-1, 10**6, None, 2.5, True]),
    "own answer": (lambda m, v: own_task("Tom.", "Who?", v), ["", "  ", "x" * 81]),
    "bits of a cache": (lambda m, v: rounded_cache(m, TEXT, v), [(), (3,), (16,), (True,), ("8",)]),
}
