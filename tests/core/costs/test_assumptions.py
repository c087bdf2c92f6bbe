"""Assumed watts and prices: the usual ones of a device, and impossible ones are refused in one sentence."""

from __future__ import annotations

from typing import Any

import pytest

from core.costs.assumptions import Assumptions
from core.errors import BadSetting


@pytest.mark.parametrize("wrong", [-1, 1_000_001, float("nan"), True, "much", None])
def test_an_impossible_value_is_refused_by_its_name(wrong: Any) -> None:
    with pytest.raises(BadSetting, match="The price hour must be a number from 0 to a million"):
        Assumptions(price_hour=wrong)


def test_a_graphics_card_takes_more_watts_and_costs_more_an_hour_than_a_laptop() -> None:
    laptop, card = Assumptions.for_device("cpu"), Assumptions.for_device("cuda:0")
    assert laptop == Assumptions() and (card.price_input, card.price_output) == (laptop.price_input, laptop.price_output)
    assert card.watts > laptop.watts and card.price_hour > laptop.price_hour
