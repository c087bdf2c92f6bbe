"""Stages in any order keep what transformers' processors keep, applied one after the other to the whole vocabulary."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as budget

from tests.core.sampling.chains import LARGE_SIZES, Case, cases, difference

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@budget(max_examples=200, suppress_health_check=SLOW)
@given(case=cases())
def test_in_any_order(case: Case) -> None:
    assert difference(case) == ""


@budget(max_examples=100, suppress_health_check=SLOW)
@given(case=cases(shuffled=False))
def test_in_the_order_of_transformers(case: Case) -> None:
    assert difference(case) == ""


@budget(max_examples=10, suppress_health_check=SLOW)
@given(case=cases(LARGE_SIZES))
def test_large_vocabularies(case: Case) -> None:
    assert difference(case) == ""


@pytest.mark.exhaustive
@budget(max_examples=5000, suppress_health_check=SLOW, deadline=None)
@given(case=cases())
def test_five_thousand_in_any_order(case: Case) -> None:
    assert difference(case) == ""


@pytest.mark.exhaustive
@budget(max_examples=300, suppress_health_check=SLOW, deadline=None)
@given(case=cases(LARGE_SIZES))
def test_large_vocabularies_in_any_order(case: Case) -> None:
    assert difference(case) == ""
