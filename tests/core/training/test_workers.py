"""Workers that share a step: the parts of a batch are the whole batch."""

from __future__ import annotations

import pytest
import torch

from core.training.data import IGNORED, Batch


@pytest.mark.parametrize("count", [1, 2, 3])
def test_the_parts_of_a_batch_are_the_batch(count: int) -> None:
    targets = torch.arange(12).reshape(4, 3)
    targets[2, 1] = IGNORED
    mask = torch.ones(4, 1, 3, 3, dtype=torch.bool)
    whole = Batch(torch.arange(12).reshape(4, 3), targets, mask, targets % 2 == 0, targets % 4 == 0, 11)
    parts = [whole.part(worker, count) for worker in range(count)]
    assert sum(part.tokens for part in parts) == whole.tokens
    assert sorted(torch.cat([part.ids for part in parts]).flatten().tolist()) == list(range(12))
