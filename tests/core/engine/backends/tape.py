"""A CUDA graph for a CPU: what a step did is recorded operation by operation, and repeated without the Python that led to it."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from core.engine.backends.static_decode import Step


class Tape(TorchDispatchMode):
    """While open, notes every operation with the tensors it read. `replay` does them all again and leaves the results in the same places.

    As on a GPU: numbers that Python held (a length, a position, a choice) are repeated as they were; what lies in the tensors is read anew.
    """

    def __init__(self) -> None:
        super().__init__()
        self._noted: list[tuple[Any, tuple[Any, ...], dict[str, Any], Any]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        output = func(*args, **(kwargs or {}))
        self._noted.append((func, args, kwargs or {}, output))
        return output

    def replay(self) -> None:
        for func, args, kwargs, output in self._noted:
            for place, result in zip(tree_leaves(output), tree_leaves(func(*args, **kwargs)), strict=True):
                if isinstance(place, torch.Tensor) and place.data_ptr() != result.data_ptr():  # no view, and not changed in its place
                    place.copy_(result)


def record(step: Step, _device: torch.device) -> Step:
    """What `core.engine.backends.static_decode.cuda_graph` does, on a CPU."""
    tape = Tape()
    with tape:
        output = step()

    def replay() -> torch.Tensor:
        tape.replay()
        return output

    return replay
