"""Weights rounded to fewer bits: values worked out by hand, and no weight moves further than a step."""

from __future__ import annotations

import pytest
import torch

from core.engine.weight_rounding import round_weights
from core.experiments.quantization.rounded_weights import BITS


def test_rounding_by_hand() -> None:
    row = torch.tensor([[1.0, -0.5, 0.06, 0.04, 0.0]])
    assert round_weights(row, 4)[0].tolist() == pytest.approx([1.0, -0.5, 0.1, 0.0, 0.0], abs=1e-3)  # 15 steps of 0.1, five below zero
    assert round_weights(row, 2)[0].tolist() == pytest.approx([1.0, -0.5, 0.0, 0.0, 0.0], abs=1e-3)  # four values
    assert round_weights(row, 16)[0].tolist() == row.half().float()[0].tolist()
    assert torch.equal(round_weights(torch.zeros(2, 5), 3), torch.zeros(2, 5))


@pytest.mark.parametrize("bits", BITS[1:])
@pytest.mark.parametrize("group", [None, 32])
def test_weights_move_by_half_a_step_at_most_and_those_at_the_ends_by_one(bits: int, group: int | None) -> None:
    weight = torch.randn(16, 96, generator=torch.Generator().manual_seed(bits))
    rounded = round_weights(weight, bits, group)
    size = group or 96
    groups = weight.reshape(16, -1, size)
    step = (groups.amax(-1, keepdim=True) - groups.amin(-1, keepdim=True)) / (2**bits - 1)
    off = (weight - rounded).reshape(16, -1, size).abs()
    assert bool((off <= step * 1.002 + groups.abs() * 1e-3).all())
    inside = (groups < groups.amax(-1, keepdim=True) - step / 2) & (groups > groups.amin(-1, keepdim=True) + step / 2)
    assert bool((off <= step * 0.502 + groups.abs() * 1e-3)[inside].all())
    assert len(rounded.reshape(16, -1, size)[0, 0].unique()) <= 2**bits
