"""The smallest number of threads that no larger number clearly beats on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import torch

FEW = 20_000_000  # parameters; a step of a smaller model ends before several threads have started
ENOUGH = 1.2  # more threads must be faster by this factor, because they wait for each other beside a browser
UNCLEAR = 1.45  # below this factor both are measured again, because other work may have run


def fewest(seconds: Callable[[int], float]) -> int:
    """Return the smallest number of threads that no larger number clearly beats; seconds: measures a number of threads."""
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
    """Return the numbers to try: one, half of the processors, all but one, all."""
    cores = os.cpu_count() or 1
    return sorted({1, max(1, cores // 2), max(1, cores - 1), cores})


@contextmanager
def torch_threads(count: int) -> Iterator[None]:
    """Let torch use this many threads in the block only; torch has one number per process, which may belong to other code."""
    before = torch.get_num_threads()
    if count == before:
        yield
        return
    torch.set_num_threads(count)
    try:
        yield
    finally:
        torch.set_num_threads(before)
