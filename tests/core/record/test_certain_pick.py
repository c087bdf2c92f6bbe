"""A pick that a short list is said to settle is the pick of the whole distribution; and a list may end in minus infinity."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from core.record.top_logprobs import TopLogprobs
from core.sampling import stages
from core.settings import SamplingSettings
from tests.core.record.test_top_logprobs import NOTHING, heap, listed_of

SETTINGS = [
    SamplingSettings(temperature=0.8),
    SamplingSettings(temperature=1.6),
    SamplingSettings(),
    SamplingSettings(temperature=0.8, top_p=0.9),
    SamplingSettings(temperature=0.8, top_k=20),
    SamplingSettings(temperature=1.3, min_p=0.01),
    SamplingSettings(typical_p=0.9),
]


def active(settings: SamplingSettings) -> list[tuple[str, float | None]]:
    return [("model", None), *((name, setting) for name, setting, _ in stages.processors(settings))]


def pick(logits: np.ndarray, settings: SamplingSettings, roll: float) -> int:
    return stages.observe(torch.as_tensor(logits, dtype=torch.float32), settings, NOTHING, 5, roll=roll).chosen


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_settled_pick_is_that_of_every_distribution_with_this_list(settings: SamplingSettings) -> None:
    generator = np.random.default_rng(11)
    settled = 0
    for _ in range(150):
        logits, roll = generator.normal(0.0, 3.0, 60), float(generator.random())
        listed = listed_of(logits, 15)
        if listed.certain_pick(active(settings), roll):
            settled += 1
            taken = {pick(one, settings, roll) for one in (logits, heap(logits, 15), listed.logits().numpy())}
            assert len(taken) == 1
    assert settled > 60 or settings.typical_p < 1.0


def test_a_roll_into_the_rest_is_never_settled() -> None:
    listed = listed_of(np.random.default_rng(2).normal(0.0, 1.0, 60), 15)
    assert not listed.certain_pick([("model", None), ("temperature", 0.8)], 0.999999)
    assert listed.certain_pick([("model", None), ("temperature", 0.8)], 0.0)


@pytest.mark.parametrize("temperature", [0.05, 0.3, 0.8, 1.0, 1.7, 2.0])
@pytest.mark.parametrize("rounding", [0.0, -3e-7, 2e-7])
def test_a_list_that_ends_in_minus_infinity_leaves_nothing_to_be_estimated(temperature: float, rounding: float) -> None:
    odds = np.array([math.log(0.75) + rounding, math.log(0.25), -1e4, -1e4])
    listed = TopLogprobs(np.arange(4), odds, 1000)
    settings = SamplingSettings(temperature=temperature, seed=1)
    assert all(listed.exact_stages(active(settings)))
    assert listed.certain_pick(active(settings), 0.5)
    seen = stages.observe(listed.logits(), settings, NOTHING, 4, roll=0.999999)
    assert seen.chosen in (0, 1)
    assert np.isfinite(seen.probabilities).all()
