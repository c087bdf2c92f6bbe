"""The speed trial: a few real passes of a model on this machine, when it is loaded, choose its numbers of threads and streams.

Streams are the places in memory at which compiled code reads a matrix at the same time. One processor read bf16 at 12 GB/s with two streams
and 8 with one, another at 10 and 26. The sums of a row depend neither on streams nor on threads.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Sequence
from time import perf_counter

import numpy as np
import torch

from core.backends.backend import Backend
from core.device import FEW_PARAMETERS, Speed, torch_threads

log = logging.getLogger(__name__)

ENOUGH = 1.2  # more threads must be faster by this factor, because they wait for each other beside a browser
UNCLEAR = 1.45  # below this factor both are measured again, because other work may have run
STREAMS = (1, 2, 4)
PROMPT = 16  # tokens of the measured prompt
LEAST, MOST, LONG = 2, 6, 0.3  # rounds of steps, one with each number of streams; after LONG seconds the least suffice


def thread_choices(parameter_count: int, device: torch.device) -> list[int]:
    """Return the numbers of threads to try: one, half of the processors, all but one, all; only one for a small model and on a GPU."""
    if parameter_count < FEW_PARAMETERS or device.type != "cpu":
        return [1]
    cores = os.cpu_count() or 1
    return sorted({1, max(1, cores // 2), max(1, cores - 1), cores})


def choose(backend: Backend, vocabulary_size: int, threads: Sequence[int], read_in: Callable[[int], None] | None = None) -> Speed:
    """Measure a prompt and some steps with each number of threads, ascending, and return what is fastest, with the reason.

    A larger number of threads wins only if it is clearly faster. Numbers that are unclear are measured twice. The fastest of several steps
    counts, because other programs can only slow one down. read_in: sets the number of streams; the measured steps then alternate between
    them. It is left at the fastest. With one number of threads and without `read_in` nothing is measured.
    """
    if len(threads) == 1 and read_in is None:
        return Speed(threads[0], threads[0])
    begin = PROMPT if len(threads) > 1 else 1
    ids = np.arange(1, begin + MOST * len(STREAMS) + 1) * 7919 % vocabulary_size
    prompts: dict[int, float] = {}
    steps: dict[int, dict[int, float]] = {}  # by threads and streams

    def seconds(count: int) -> float:
        """Return the seconds of the fastest step so far."""
        prompt, measured = _measured(backend, ids, begin, count, read_in)
        prompts[count] = min(prompt, prompts.get(count, prompt))
        before = steps.get(count, measured)
        steps[count] = {streams: min(value, before[streams]) for streams, value in measured.items()}
        return min(steps[count].values())

    best = fewest(seconds, threads)
    streams = min(steps[best], key=steps[best].__getitem__)
    if read_in is not None:
        read_in(streams)
    took = (f"{1e3 * value:.2f} ms with {count} threads and {number} streams" for count in steps for number, value in steps[count].items())
    speed = Speed(best, fewest(prompts.__getitem__, sorted(prompts)), streams, "a step took " + ", ".join(took))
    log.info("%d threads (%d for many tokens) and %d streams: %s", speed.threads, speed.row_threads, speed.streams, speed.reason)
    return speed


def fewest(seconds: Callable[[int], float], numbers: Sequence[int]) -> int:
    """Return the smallest of these numbers of threads that no larger one clearly beats; seconds: measures a number."""
    best, least = numbers[0], seconds(numbers[0])
    for count in numbers[1:]:
        taken = seconds(count)
        if 1 < least / taken < UNCLEAR:
            least, taken = min(least, seconds(best)), min(taken, seconds(count))
        if taken * ENOUGH > least:
            break
        best, least = count, taken
    return best


def _measured(
    backend: Backend, ids: np.ndarray, begin: int, threads: int, read_in: Callable[[int], None] | None
) -> tuple[float, dict[int, float]]:
    """Return the seconds of a pass of the first `begin` ids, and of the fastest step after it by number of streams."""
    prompt, steps = 0.0, dict[int, float]()
    with torch_threads(threads), torch.inference_mode():
        backend.run(ids[:1], None)  # torch creates its threads in the first pass
        state, first = backend.new_state(), perf_counter()
        for end in range(begin, len(ids) + 1):
            if end > begin + LEAST * len(STREAMS) and perf_counter() - first > LONG:
                break
            streams = 1 if read_in is None else STREAMS[end % len(STREAMS)]
            if read_in is not None:
                read_in(streams)
            started = perf_counter()
            backend.run(ids[backend.length(state) : end], state)  # all of them if this architecture keeps nothing that can be reused
            taken = perf_counter() - started
            if end == begin:
                prompt = taken
            else:
                steps[streams] = min(taken, steps.get(streams, taken))
    return prompt, steps
