"""A CUDA graph for a CPU: the operations of a step are recorded and repeated without the Python code that led to them."""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from core.backends.cuda_graph import Step

READERS = {"item", "tolist", "numpy", "nonzero", "masked_select", "unique", "__bool__", "__int__", "__float__", "__index__", "__array__"}


class Copied(RuntimeError):
    """The copy of a step's numbers to the host has begun."""


def leaves(output: Any) -> list[Any]:
    """What an operation returned, one by one."""
    return [leaf for part in output for leaf in leaves(part)] if isinstance(output, (tuple, list)) else [output]


class Tape(TorchFunctionMode):
    """While open, notes every torch function with its arguments. `replay` calls them all again and leaves the results in the same places.

    As on a GPU, numbers that Python held (a length, a position, a choice) are repeated as they were. Tensors are read anew.
    """

    def __init__(self) -> None:
        super().__init__()
        self._noted: list[tuple[Any, tuple[Any, ...], dict[str, Any], Any]] = []

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        output = func(*args, **(kwargs or {}))
        if func is torch.Tensor.__setitem__ or any(isinstance(leaf, torch.Tensor) for leaf in leaves(output)):
            self._noted.append((func, args, kwargs or {}, output))
        return output

    def replay(self) -> None:
        for func, args, kwargs, output in self._noted:
            for place, result in zip(leaves(output), leaves(func(*args, **kwargs)), strict=True):
                if isinstance(place, torch.Tensor) and place.data_ptr() != result.data_ptr():  # no view, and not changed in its place
                    place.copy_(result)


class NothingReadBack(TorchFunctionMode):
    """While open, a function of this thread that reads numbers back from the device raises RuntimeError: it cannot be recorded.

    On CUDA such a function also makes the host wait for the device. `Tensor.cpu` raises `Copied`. copied: the sizes of those tensors.
    """

    def __init__(self) -> None:
        super().__init__()
        self.copied: list[int] = []

    def __torch_function__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        name = getattr(func, "__name__", "")
        if name == "cpu":
            self.copied.append(args[0].numel())
            raise Copied("copies numbers to the host")
        reads = name in READERS or (name == "where" and len(args) == 1)
        if name in ("__getitem__", "__setitem__"):  # by a mask that must be counted first, or by a number
            indices = [index for index in leaves(args[1]) if isinstance(index, torch.Tensor)]
            reads = any(index.dtype in (torch.bool, torch.uint8) or not index.dim() for index in indices)
        if reads:
            raise RuntimeError(f"{name} reads numbers back from the device")
        return func(*args, **(kwargs or {}))


def record(step: Step, _device: torch.device) -> Step:
    """What `core.backends.cuda_graph.cuda_graph` does, on a CPU."""
    with NothingReadBack():  # a graph cannot be recorded of such a step, and a card refuses it
        step()
    tape = Tape()
    with tape:
        output = step()

    def replay() -> torch.Tensor:
        tape.replay()
        return output

    return replay
