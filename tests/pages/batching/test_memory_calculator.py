"""How many requests fit: with the scales of rounded numbers counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.costs.operations_and_bytes import CARDS, MODELS, cache_bytes, readers_that_fit
from pages.batching.memory_calculator import answer, cache_item, weight_item


@pytest.mark.parametrize(("bits", "requests"), [(16, 7), (8, 13), (4, 24)])
def test_llama_8b_with_rounded_caches_on_an_l4(bits: int, requests: int) -> None:
    shape = MODELS["llama-3.1-8b"].shape
    free = 24e9 - 2 * shape.parameter_count
    by_hand = free // (8_000 * 2 * 32 * 8 * 128 * {16: 2.0, 8: 9 / 8, 4: 5 / 8}[bits])
    assert readers_that_fit(shape, CARDS["l4"].memory_bytes, 8_000, weight_item(16), cache_item(bits)) == by_hand == requests


def test_rounded_weights_count_their_scales() -> None:
    assert [8 * weight_item(bits) for bits in (16, 8, 4)] == [16, 8.5, 4.5]


def test_a_cache_that_is_not_known_or_not_there_gets_its_own_sentence() -> None:
    shape = MODELS["gpt-2"].shape
    kinds = (shape, replace(shape, cache_known=False), shape.without_cache())
    said = [answer(readers_that_fit(kind, 1e9, 100, 2, 2), 5, cache_bytes(kind, 100, 2), "L4", 10**9, 100) for kind in kinds]
    assert "requests** at once" in said[0]
    assert said[1].startswith("**Not known for this architecture**") and said[2].startswith("**Any number**")
    assert "GB are free" in said[1] and "nan" not in "".join(said)
