"""A CUDA graph for a CPU: what a step did is recorded operation by operation, and repeated without the Python that led to it."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from core.engine.backends.static_decode import Step


def leaves(output: Any) -> list[Any]:
    """What an operation returned, one by one."""
    return [leaf for part in output for leaf in leaves(part)] if isinstance(output, (tuple, list)) else [output]


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
            for place, result in zip(leaves(output), leaves(func(*args, **kwargs)), strict=True):
                if isinstance(place, torch.Tensor) and place.data_ptr() != result.data_ptr():  # no view, and not changed in its place
                    place.copy_(result)


class NothingReadBack(TorchDispatchMode):
    """While open, an operation of this thread that depends on numbers in more than its numbers raises RuntimeError: none can be recorded.

    On CUDA such an operation also makes the host wait for the device.
    """

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        reads = torch.Tag.data_dependent_output in func.tags or torch.Tag.dynamic_output_shape in func.tags
        if func is torch.ops.aten.index.Tensor:  # by numbers, or by a mask that must be counted first
            reads = any(index is not None and index.dtype in (torch.bool, torch.uint8) for index in args[1])
        if reads:
            raise RuntimeError(f"{func} reads numbers back from the device")
        with self:  # in inference mode operations arrive whole that are made of others
            parts = func.decompose(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {})) if parts is NotImplemented else parts


def record(step: Step, _device: torch.device) -> Step:
    """What `core.engine.backends.static_decode.cuda_graph` does, on a CPU."""
    with NothingReadBack():  # a graph cannot be recorded of such a step, and a card refuses it
        step()
    tape = Tape()
    with tape:
        output = step()

    def replay() -> torch.Tensor:
        tape.replay()
        return output

    return replay
