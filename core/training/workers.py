"""Share one training step among several processes, one thread each.

On a busy machine, processes that meet once a step are several times faster than threads that meet in every operation. Knows nothing
about models except that they have gradients.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path

import torch
from torch import distributed, multiprocessing, nn


def workers() -> tuple[int, int]:
    """Which worker this process is, and of how many."""
    return (distributed.get_rank(), distributed.get_world_size()) if distributed.is_initialized() else (0, 1)


def average_gradients(model: nn.Module, weight: float) -> None:
    """Replace every gradient by the mean over the workers, each with its weight (its share of the step's tokens)."""
    if workers()[1] == 1:
        return
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    together = torch.cat([gradient.flatten() for gradient in gradients]) * weight
    distributed.all_reduce(together)
    for gradient, mean in zip(gradients, together.split([gradient.numel() for gradient in gradients]), strict=True):
        gradient.copy_(mean.view_as(gradient))


def stop_on_signals() -> list[bool]:
    """A list that is filled when somebody asks this process to stop."""
    stopping: list[bool] = []
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.append(True))
    return stopping


def shared(value: float) -> float:
    """The sum of a number over all workers: what one of them knows (asked to stop, time left), all know at the same step."""
    if workers()[1] == 1:
        return value
    total = torch.tensor([value], dtype=torch.float64)
    distributed.all_reduce(total)
    return float(total.item())


def work(rank: int, count: int, start: Callable[[], None], rendezvous: str) -> None:
    """Be worker `rank` of `count`: one thread, one part of every batch."""
    torch.set_num_threads(1)
    distributed.init_process_group("gloo", init_method=f"file://{rendezvous}", rank=rank, world_size=count)
    start()
    distributed.destroy_process_group()


def launch(start: Callable[[], None], pid_file: Path, count: int) -> None:
    """Run `start` in this process, or in `count` workers. Whoever wants to stop them finds their ids in the pid file."""
    if count == 1:
        pid_file.write_text(str(os.getpid()))
        return start()
    rendezvous = pid_file.with_name(f"{pid_file.name}.rendezvous").resolve()
    rendezvous.unlink(missing_ok=True)
    spawned = multiprocessing.spawn(work, (count, start, str(rendezvous)), nprocs=count, join=False)
    pid_file.write_text(" ".join(str(pid) for pid in spawned.pids()))
    while not spawned.join():
        pass
    return None
