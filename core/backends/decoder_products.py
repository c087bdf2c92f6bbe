"""Products and look-ups with a decoder's stored weights."""

from __future__ import annotations

from threading import Lock

import numpy as np
import torch
from torch.nn import functional

from core.backends import compiled
from core.backends.decoder_parts import Projection

FEW = 16  # rows; up to this many, compiled code, which reads each weight once for all rows, is faster than BLAS
FEW_STORED = 48  # the same if the weights must be widened first


class Table:
    """Rows of an embedding, as float32."""

    def __init__(self, weight: torch.Tensor) -> None:
        self._weight = weight
        self._rows = weight.numpy() if weight.dtype is torch.float32 else None

    def __getitem__(self, numbers: np.ndarray) -> np.ndarray:
        if self._rows is not None:
            return self._rows[numbers]
        return functional.embedding(torch.from_numpy(numbers), self._weight).float().numpy()


class Widened:
    """Weights in 16 bits as float32, widened once for all blocks of tokens that go through the layers together.

    blocks: how many. A weight is dropped after the last of them has asked for it.
    """

    def __init__(self, blocks: int) -> None:
        self._blocks, self._lock = blocks, Lock()
        self._held: dict[int, tuple[torch.Tensor, int]] = {}  # by the address of the stored weight: the weight, and the blocks that need it

    def of(self, stored: torch.Tensor) -> torch.Tensor:
        """Return this weight as float32."""
        with self._lock:  # another block waits, instead of reading the same memory
            weight, left = self._held.pop(stored.data_ptr(), (None, self._blocks))
            weight = stored.float() if weight is None else weight
            if left > 1:
                self._held[stored.data_ptr()] = weight, left - 1
            return weight


class Product:
    """A projection of rows: [rows, in] -> [rows, out]. Weights in 16 bits are widened for each block of rows.

    NumPy is fastest on one thread, torch on several: see `core.backends.fast_decoder`.
    """

    def __init__(self, part: Projection) -> None:
        self._part = part
        self._stored = part.weight.T
        self.weight = self._stored.numpy() if self._stored.dtype is torch.float32 else None
        self.streams = 1  # in which compiled code reads the weights
        self._bias = None if part.bias is None else part.bias[None]  # with this shape, NumPy's addition is three times faster

    def __call__(self, rows: np.ndarray, out: np.ndarray, widened: Widened) -> None:
        plain = self.weight is not None
        few = 1 < len(rows) <= FEW if plain else len(rows) <= FEW_STORED
        if few and out.flags.c_contiguous and compiled.rows_product(self._part, rows, out, self.streams):
            return
        if self.weight is None:
            torch.mm(torch.from_numpy(rows), widened.of(self._stored), out=torch.from_numpy(out))
        elif torch.get_num_threads() > 1:
            torch.mm(torch.from_numpy(rows), self._stored, out=torch.from_numpy(out))
        elif out.flags.c_contiguous:
            np.dot(rows, self.weight, out)
        else:
            out[:] = np.dot(rows, self.weight)
        if self._bias is not None:
            np.add(out, self._bias, out)


def activate(rows: np.ndarray, act: str) -> None:
    """Apply the activation in place, with torch, because NumPy needs five calls."""
    tensor = torch.from_numpy(rows)
    if act == "silu":
        functional.silu(tensor, inplace=True)
    elif act == "relu":
        functional.relu_(tensor)
    else:
        tensor.copy_(functional.gelu(tensor, approximate="tanh" if act == "gelu_tanh" else "none"))
