"""GPT-2's linear layer with weights kept as they are stored; see `core.engine.stored_weights`."""

from __future__ import annotations

import torch
from transformers.pytorch_utils import Conv1D

__all__ = ["Conv1D", "StoredConv1D"]


class StoredConv1D(Conv1D):
    """The layer, which has its weight the other way round; it is widened for each product."""

    is_stored = True

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        rows = torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight.to(x.dtype))
        return rows.view(*x.size()[:-1], self.nf)
