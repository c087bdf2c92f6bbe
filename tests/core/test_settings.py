"""Settings are those of transformers, and no other value is accepted."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import SamplingSettings
from core.errors import BadSetting

HUGE = 1 << 20_000  # more digits than Python is willing to write out

BAD: dict[str, list[Any]] = {
    "temperature": [0, 0.0, -0.1, math.nan, math.inf, -math.inf, 1e9, "1", None, True, [1.0], 10**400, HUGE],
    "top_k": [-1, 1.5, math.nan, math.inf, "5", None, True, 10**30, HUGE],
    "top_p": [0, -0.5, 1.01, math.nan, math.inf, "0.9", None, True],
    "min_p": [-0.01, 1.01, math.nan, "0", None, False],
    "typical_p": [0, -1, 1.5, math.nan, "x", None],
    "repetition_penalty": [0, -1, math.nan, math.inf, 1e9, "1.2", None, 10**400, HUGE],
    "greedy": [0, 1, "yes", None, 0.0],
    "seed": [-1, 1.0, math.nan, "0", None, True, 2**64, HUGE],
}


PAIRS = [
    pytest.param(name, value, id=f"{name}-{'huge' if isinstance(value, int) and value > 2**99 else value}")
    for name, values in BAD.items()
    for value in values
]


@pytest.mark.parametrize(("name", "value"), PAIRS)
def test_a_value_that_makes_no_sense_is_refused_in_one_sentence(name: str, value: Any) -> None:
    with pytest.raises(BadSetting) as caught:
        SamplingSettings(**{name: value})
    sentence = str(caught.value)
    assert name.split("_")[0] in sentence.lower()
    assert "\n" not in sentence
    assert len(sentence) < 250
    assert sentence.endswith(".")


def test_settings_cannot_be_changed_behind_a_step() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        SamplingSettings().temperature = 2.0  # type: ignore[misc]


ANY_VALUE = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5), st.lists(st.integers(), max_size=2))


@given(name=st.sampled_from(sorted(BAD)), value=ANY_VALUE)
def test_any_value_is_either_kept_or_refused(name: str, value: Any) -> None:
    try:
        kept = getattr(SamplingSettings(**{name: value}), name)
    except BadSetting:
        return
    assert kept == value
    assert math.isfinite(kept)
