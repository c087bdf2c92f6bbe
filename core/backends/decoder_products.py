"""The products of rows with the projections of a decoder: by compiled code for few rows, else by BLAS."""

from __future__ import annotations

import numpy as np
import torch

from core.backends import compiled
from core.backends.decoder_parts import Projection, Widened

FEW = 16  # rows; up to this many, compiled code, which reads each weight once for all rows, is faster than BLAS
FEW_STORED = 48  # the same if the weights must be widened first


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
