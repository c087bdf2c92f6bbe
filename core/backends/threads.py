"""The smallest number of threads that no larger one clearly beats on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable

FEW = 20_000_000  # parameters; a step of so few is over before several threads have met
ENOUGH = 1.2  # more threads have to be faster by this factor: beside a browser they wait for each other
UNCLEAR = 1.45  # below this factor both are measured once more, because other work may have run meanwhile


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
