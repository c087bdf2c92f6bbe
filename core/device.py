"""Devices: selection, token ids on a device, timing, numbers of threads, and out-of-memory errors as NoRoom with a sentence."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from time import perf_counter

import numpy as np
import torch

from core.errors import ModelError, NoRoom, quoted
from core.message import Message

FEW_PARAMETERS = 20_000_000  # parameters; a step of a smaller model ends before several threads have started
MANY_TOKENS = 4  # tokens of a pass that takes the number of threads for many


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether this is an out-of-memory error of Python, torch or the operating system."""
    text = str(error).lower()
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or "not enough memory" in text or "cannot allocate memory" in text


@contextmanager
def enough_memory(message: Message) -> Iterator[None]:
    """Raise NoRoom with this sentence instead of an out-of-memory error within the block."""
    try:
        yield
    except Exception as error:
        if is_out_of_memory(error):
            raise NoRoom(message) from error
        raise


# Other processors take thirty to forty times as long for a product in bf16 as in float32. One with AVX-512's bf16 but without AMX takes as
# long, and more between the products: such a Xeon trains 1.75 times as fast in float32. ARM's bf16 is untested, so ARM uses float32.
CPU_MULTIPLIES_BF16 = bool(torch.cpu.get_capabilities().get("amx_bf16"))


class Stopwatch:
    """Seconds of work on a device. On CUDA it is measured by events in the device's stream, which are read after the step's copy."""

    def __init__(self, device: torch.device, already: float = 0.0) -> None:
        self._device = device
        self._events = (torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)) if device.type == "cuda" else None
        self._started, self._seconds = perf_counter() - already, 0.0
        if self._events:
            self._events[0].record(torch.cuda.current_stream(device))

    def stop(self) -> None:
        """Record the end of the work."""
        self._seconds = perf_counter() - self._started
        if self._events:
            self._events[1].record(torch.cuda.current_stream(self._device))

    @property
    def seconds(self) -> float:
        """Seconds between start and stop."""
        if self._events:
            self._events[1].synchronize()
            return self._events[0].elapsed_time(self._events[1]) / 1000
        return self._seconds


def to_device(token_ids: np.ndarray, device: torch.device) -> torch.Tensor:
    """Return token ids, int64 [count], on the device.

    For CUDA they are copied through page-locked memory. A copy from other memory would first wait for all earlier work of the device.
    """
    ids = torch.from_numpy(token_ids)
    return (ids.pin_memory() if device.type == "cuda" else ids).to(device, non_blocking=True)


def device_for(wanted: str) -> torch.device:
    """Return the torch device of this name; "auto" is cuda, then mps, then cpu. Raises ModelError for an unknown device."""
    if wanted == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda", torch.cuda.current_device())
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(wanted)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, TypeError, NotImplementedError) as error:
        raise ModelError("This machine has no device called {wanted}. Use auto, cpu, cuda or mps.", wanted=quoted(str(wanted))) from error
    return device


@dataclass(frozen=True, slots=True)
class Speed:
    """What a trial chose. threads: for steps; row_threads: for passes of many tokens; reason: for the log.

    streams: places in memory at which compiled code reads a matrix at the same time.

    One token is bound by memory and eight are by the processor, so eight can gain from a second thread where one does not.
    """

    threads: int = 1
    row_threads: int = 1
    streams: int = 1
    reason: str = "nothing to choose from"

    @classmethod
    def untried(cls, parameter_count: int) -> Speed:
        """Return what a model gets without a trial: one thread for a small model, all processors but one for a large one."""
        threads = max(1, network_threads(parameter_count) - 1)
        return cls(threads, threads)

    def threads_for(self, tokens: int) -> int:
        """Return the number of threads for a pass of so many tokens."""
        return self.threads if tokens < MANY_TOKENS else max(self.threads, self.row_threads)


def network_threads(parameter_count: int) -> int:
    """Return the number of threads for passes of transformers' network over many tokens.

    The processor bounds them, not the memory, so a large model takes all processors. The trial of `Speed` measures passes of ours.
    """
    return 1 if parameter_count < FEW_PARAMETERS else os.cpu_count() or 1


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
