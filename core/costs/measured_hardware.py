"""Measure the peak FLOP/s and memory bandwidth of this machine, and read its energy counter."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import psutil
import torch

from core.message import Message

_PROCESSORS = Path("/proc/cpuinfo")
_RAPL = Path("/sys/class/powercap")
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")
_SMALLEST, _LARGEST = 1 << 26, 1 << 29  # bytes of the block that is read on a processor
_SHORT = 0.12  # seconds for each of the two measurements


@dataclass(frozen=True, slots=True)
class Peak:
    """The measured peak: floating point operations and bytes per second, on this device with this many threads."""

    flops: float
    bytes_per_second: float
    device: str
    dtype: str
    threads: int

    @property
    def how(self) -> str:
        """Return how it was measured, in a few words."""
        if self.device.startswith("cuda"):
            return Message("compared with a large matrix product and a long vector sum on {device}", device=self.device)
        if self.threads == 1:
            return Message("compared with a large matrix product and a long vector sum on {device}, 1 thread", device=self.device)
        threads = Message("compared with a large matrix product and a long vector sum on {device}, {threads} threads")
        return threads.with_values(device=self.device, threads=self.threads)


def processor() -> str:
    """Return the name of this machine's processor and the number of its cores: "AMD EPYC 9B14, 2 cores"."""
    try:
        lines = _PROCESSORS.read_text("utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    name = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.processor())
    cores = psutil.cpu_count() or 1
    return f"{name or platform.machine()}, {cores} {'core' if cores == 1 else 'cores'}"


def measure(device: str = "cpu", dtype: str = "float32") -> Peak:
    """Return the peak, from multiplying two large matrices and reading memory larger than the processor's caches, the fastest of each.

    Takes about a quarter of a second, twice as long on a processor with a cache of hundreds of megabytes. Other load on the machine only
    slows it down, so the fastest of many tries counts.
    """
    kind = getattr(torch, dtype)
    side = 4096 if device.startswith("cuda") else 768
    count = (1 << 30 if device.startswith("cuda") else block_bytes()) // kind.itemsize
    with torch.inference_mode():
        left, right = torch.randn(2, side, side, device=device, dtype=kind)
        block = torch.ones(count, device=device, dtype=kind)
        arithmetic = _best(lambda: left @ right, device)
        reading = _best(block.sum, device)
    return Peak(2 * side**3 / arithmetic, count * kind.itemsize / reading, device, dtype, torch.get_num_threads())


def block_bytes() -> int:
    """Return how many bytes to read so that they come from memory: twice the largest known cache, within the limits above."""
    room = int(psutil.virtual_memory().available) // 4
    return max(_SMALLEST, min(2 * largest_cache(), _LARGEST, room))


def largest_cache() -> int:
    """Return the bytes of this processor's largest cache, 0 if unknown."""
    sizes = [0]
    for file in _CACHES.glob("index*/size"):
        try:
            size = file.read_text("ascii").strip()
            sizes.append(int(size[:-1]) * {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}[size[-1]])
        except (OSError, ValueError, KeyError, IndexError):
            continue
    return max(sizes)


def _best(work: Callable[[], object], device: str) -> float:
    """Return the shortest time of this work, in seconds, over at least three tries."""
    work()
    best, tries, until = float("inf"), 0, perf_counter() + _SHORT
    while tries < 3 or perf_counter() < until:
        _wait(device)
        started = perf_counter()
        work()
        _wait(device)
        best, tries = min(best, perf_counter() - started), tries + 1
    return best


def _wait(device: str) -> None:
    if device.startswith("cuda"):
        torch.cuda.synchronize(device)


def energy_joules(device: str = "cpu") -> float | None:
    """Return the device's energy counter, in joules since an unknown time; None without a readable counter.

    The difference of two readings is the energy of all work on this device between them, other programs included.
    """
    if device.startswith("cuda"):
        return _nvidia_joules(torch.device(device).index or 0)
    if device != "cpu":
        return None
    readings = [_micro_joules(path) for path in _RAPL.glob("intel-rapl:[0-9]*/energy_uj") if path.parent.name.count(":") == 1]
    measured = [value for value in readings if value is not None]
    return sum(measured) / 1e6 if measured and len(measured) == len(readings) else None


def _micro_joules(path: Path) -> int | None:
    try:
        return int(path.read_text("ascii"))
    except (OSError, ValueError):
        return None


def _nvidia_joules(index: int) -> float | None:
    try:
        import pynvml

        pynvml.nvmlInit()
        return pynvml.nvmlDeviceGetTotalEnergyConsumption(pynvml.nvmlDeviceGetHandleByIndex(index)) / 1000
    except Exception:  # no library, no driver, no counter on this card: all the same to us
        return None
