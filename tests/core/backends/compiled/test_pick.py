"""The compiled pick is the token that NumPy picks, or there is no answer."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import SamplingSettings
from core.backends import compiled
from core.errors import BrokenLogits
from core.sampling import pick_without_record
from core.sampling.stages import sampling_probabilities
from tests.core.backends.compiled.loaded import numpy_alone

pytest.importorskip("numba", reason="without it there is nothing compiled")
pytestmark = pytest.mark.usefixtures("compiled_sampling")
NOT_CHOSEN = np.array([0])


def slowly(scores: np.ndarray, chosen: SamplingSettings, index: int) -> tuple[int, np.ndarray]:
    """Token and probabilities by NumPy alone."""
    with numpy_alone():
        row = torch.from_numpy(scores)
        return pick_without_record.pick(row, chosen, NOT_CHOSEN, index), sampling_probabilities(row, chosen, NOT_CHOSEN)


def scores_of(seed: int, size: int, spread: float, rounded: bool) -> np.ndarray:
    found = (np.random.default_rng(seed).standard_normal(size) * spread).astype(np.float32)
    return np.round(found, 1).astype(np.float32) if rounded else found


@given(
    seed=st.integers(0, 2**31),
    size=st.sampled_from([1, 2, 5, 300, 1025, 4096, 20_000]),
    spread=st.sampled_from([0.0, 0.01, 1.0, 3.0, 8.0, 40.0]),
    rounded=st.booleans(),
    temperature=st.sampled_from([0.05, 0.8, 1.0, 1.6, 5.0]),
    top_k=st.sampled_from([0, 1, 3, 50, 5_000]),
    top_p=st.sampled_from([1.0, 0.999, 0.95, 0.5, 0.01]),
    min_p=st.sampled_from([0.0, 1e-35, 0.05, 0.3, 1.0]),
)
def test_the_same_token_and_the_same_odds_as_by_numpy(
    seed: int, size: int, spread: float, rounded: bool, temperature: float, top_k: int, top_p: float, min_p: float
) -> None:
    scores = scores_of(seed, size, spread, rounded)
    chosen = SamplingSettings(temperature=temperature, top_k=top_k, top_p=top_p, min_p=min_p, seed=seed)
    token, probabilities = slowly(scores, chosen, seed % 60)
    row = torch.from_numpy(scores)
    assert pick_without_record.pick(row, chosen, NOT_CHOSEN, seed % 60) == token
    found = sampling_probabilities(row, chosen, NOT_CHOSEN)
    assert np.array_equal(found > 0, probabilities > 0) and np.allclose(found, probabilities, rtol=1e-5, atol=1e-7)


def test_it_answers_by_itself_where_a_model_is_asked_as_usual() -> None:
    answered = 0
    for seed in range(100):
        scores = scores_of(seed, 4096, 3.0, rounded=False)
        scores[:20] += 10
        found = compiled.pick(scores, 0.8, 0, 0.95, 0.0, (seed + 0.5) / 100)
        answered += found >= 0
    assert answered > 95


@pytest.mark.parametrize("broken", [math.nan, math.inf])
def test_what_is_not_a_number_is_said_as_ever(broken: float) -> None:
    scores = scores_of(1, 4096, 3.0, rounded=False)
    scores[17] = broken
    with pytest.raises(BrokenLogits):
        pick_without_record.pick(torch.from_numpy(scores), SamplingSettings(top_p=0.9), NOT_CHOSEN, 0)
    with pytest.raises(BrokenLogits):
        sampling_probabilities(torch.from_numpy(scores), SamplingSettings(top_p=0.9), NOT_CHOSEN)
    with pytest.raises(BrokenLogits):
        pick_without_record.pick(torch.from_numpy(scores), SamplingSettings(greedy=True), NOT_CHOSEN, 0)
