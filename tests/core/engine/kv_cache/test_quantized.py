"""Keys and values at 8 and 4 bits: the error stays within its bound, and the bytes are those of the tensors."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from core.backends.cache_bytes import bytes_of_layers
from core.engine.kv_cache.quantized import QuantizedLayer, pack, packed_bytes, quantized_cache, unpack

SHAPES = [(1, 2, 5, 64), (1, 1, 1, 8), (2, 3, 4, 7), (1, 2, 3, 96)]


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("shape", SHAPES)
def test_rounding_errs_by_at_most_half_a_step(bits: int, shape: tuple[int, ...]) -> None:
    numbers = torch.randn(shape, generator=torch.Generator().manual_seed(1)) * 3 + 1
    packed = pack(numbers, bits)
    back = unpack(packed, bits, shape[-1], torch.float32)
    groups = shape[-1] // packed.scale.shape[-1]
    step = packed.scale.float().repeat_interleave(groups, dim=-1)
    # Scale and lowest value are themselves rounded to 16 bits: a thousandth of the largest number at the most.
    assert ((back - numbers).abs() <= step / 2 + numbers.abs().max() / 1000).all()
    assert back.shape == numbers.shape


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("size", [7, 8, 32, 33, 64, 96, 128])
def test_the_bytes_of_a_vector_by_formula_and_by_tensor(bits: int, size: int) -> None:
    packed = pack(torch.randn(1, 2, 3, size), bits)
    assert sum(part.nbytes for part in packed) == 2 * 3 * packed_bytes(size, bits)


def test_sixteen_values_fit_into_four_bits_exactly() -> None:
    """Worked by hand: 0 to 15 in one group have scale 1 and lowest value 0, and are their own codes, two to a byte."""
    packed = pack(torch.arange(16.0).reshape(1, 1, 1, 16), 4)
    assert packed.scale.item() == 1 and packed.lowest.item() == 0
    assert packed.codes.flatten().tolist() == [low | (low + 1) << 4 for low in range(0, 16, 2)]


@pytest.mark.parametrize("bits", [8, 4])
def test_written_at_once_or_token_by_token_is_the_same(bits: int) -> None:
    keys, values = torch.randn(2, 1, 2, 6, 16)
    at_once, singly = QuantizedLayer(bits), QuantizedLayer(bits)
    together = at_once.update(keys, values)
    for index in range(6):
        last = singly.update(keys[:, :, index : index + 1], values[:, :, index : index + 1])
    assert all(torch.equal(one, other) for one, other in zip(together, last, strict=True))
    assert bytes_of_layers([at_once]) == bytes_of_layers([singly])
    at_once.crop(-2)
    assert at_once.get_seq_length() == 4
    at_once.reset()
    assert (at_once.get_seq_length(), bytes_of_layers([at_once]).used) == (0, 0)


def test_eight_bits_change_the_odds_little_and_four_bits_more(plain: Any) -> None:
    network = plain("llama")
    ids = torch.arange(10, 40)[None]
    with torch.inference_mode():
        exact = network(ids).logits[0, -1].softmax(-1)
        far = {}
        for bits in (8, 4):
            distribution = network(ids, past_key_values=quantized_cache(3, bits), use_cache=True).logits[0, -1].softmax(-1)
            far[bits] = float((distribution - exact).abs().sum())
    assert 0 < far[8] < 0.05
    assert far[8] < far[4]
