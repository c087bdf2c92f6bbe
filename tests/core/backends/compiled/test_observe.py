"""The compiled record of a step is the record that NumPy makes, or there is no answer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import Generation, SamplingSettings
from core.sampling import stages, stages_numpy
from core.sampling.observation import Observation, Selection
from tests.core.backends.compiled.loaded import numpy_alone

pytest.importorskip("numba", reason="without it there is nothing compiled")
pytestmark = pytest.mark.usefixtures("compiled_sampling")
SIX = SamplingSettings(temperature=0.8, top_k=50, top_p=0.95, min_p=0.02, typical_p=0.95, repetition_penalty=1.1)


def both(
    scores: np.ndarray, chosen: SamplingSettings, previous: np.ndarray, selection: Selection, top_n: int
) -> tuple[Observation | None, Observation]:
    """What compiled code says of it, if it says anything, and what NumPy does."""
    asked = scores, stages.processors(chosen), chosen.greedy, previous, selection, top_n
    quickly = stages_numpy._compiled(*asked)
    with numpy_alone():
        return quickly, stages_numpy.observe(*asked)


def assert_same(one: Observation, other: Observation) -> None:
    """To the last bit, but for sums that may be made in any order."""
    for name in ("token_ids", "ranks", "logits", "removed_at"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name
    for name in ("stage_names", "stage_settings", "stage_kept", "chosen"):
        assert getattr(one, name) == getattr(other, name), name
    assert np.allclose(one.probabilities, other.probabilities, rtol=2e-5, atol=1e-9)
    assert np.array_equal(one.probabilities > 0, other.probabilities > 0)
    assert np.allclose(one.stage_entropies, other.stage_entropies, rtol=1e-4, atol=3e-5)
    assert np.allclose(one.dice_starts, other.dice_starts, atol=4e-6, equal_nan=True)


def scores_of(seed: int, size: int, spread: float, rounded: bool = False, above: float = 8) -> np.ndarray:
    """Scores with some favourites."""
    rng = np.random.default_rng(seed)
    found = (rng.standard_normal(size) * spread).astype(np.float32)
    found[rng.integers(0, size, 15)] += above
    return np.round(found, 1).astype(np.float32) if rounded else found


@given(
    seed=st.integers(0, 2**31),
    size=st.sampled_from([1, 2, 5, 300, 1025, 4096, 20_000]),
    spread=st.sampled_from([0.0, 0.01, 1.0, 3.0, 8.0, 40.0]),
    rounded=st.booleans(),
    chosen=st.builds(
        SamplingSettings,
        temperature=st.sampled_from([0.05, 0.8, 1.0, 1.6, 5.0]),
        top_k=st.sampled_from([0, 1, 3, 50, 300, 5_000]),
        top_p=st.sampled_from([1.0, 0.999, 0.95, 0.5, 0.01]),
        min_p=st.sampled_from([0.0, 1e-35, 0.05, 0.3, 1.0]),
        typical_p=st.sampled_from([1.0, 0.95, 0.5, 0.2]),
        repetition_penalty=st.sampled_from([1.0, 1.1, 1.5, 0.8]),
        greedy=st.sampled_from([False, False, False, True]),
    ),
    how=st.sampled_from(["roll", "forced", "thrown and forced", "not at all"]),
    top_n=st.sampled_from([1, 5, 20, 200]),
)
def test_the_same_record_as_by_numpy(
    seed: int, size: int, spread: float, rounded: bool, chosen: SamplingSettings, how: str, top_n: int
) -> None:
    rng = np.random.default_rng(seed)
    previous = rng.integers(0, size + 2, int(rng.integers(1, 60)))  # some of them beyond what the model can answer
    roll, forced = float(rng.random()), int(rng.integers(size))
    selection = {
        "roll": Selection(greedily=True) if chosen.greedy else Selection(roll),
        "forced": Selection(forced=forced),
        "thrown and forced": Selection(roll, forced),
        "not at all": Selection(),
    }[how]
    quickly, slowly = both(scores_of(seed, size, spread, rounded), chosen, previous, selection, min(top_n, size))
    if quickly is not None:
        assert_same(quickly, slowly)


@pytest.mark.parametrize(
    "chosen",
    [SIX, SamplingSettings(temperature=0.8, top_p=0.9), SamplingSettings(), SamplingSettings(greedy=True)],
    ids=["six settings", "balanced", "none", "greedy"],
)
@pytest.mark.parametrize("size", [4096, 50_000])
def test_it_answers_by_itself_where_a_model_is_asked_as_usual(chosen: SamplingSettings, size: int) -> None:
    answered = 0
    for seed in range(50):
        selection = Selection(greedily=True) if chosen.greedy else Selection((seed + 0.5) / 50)
        quickly, slowly = both(scores_of(seed, size, 1.0, above=14), chosen, np.arange(40), selection, 20)
        if quickly is not None:
            answered += 1
            assert_same(quickly, slowly)
    assert answered >= 44


@pytest.mark.parametrize("penalty", [1.02, 1.3, 3.0])
@pytest.mark.parametrize("temperature", [0.7, 1.0, 1.4])
@pytest.mark.parametrize("above", [2.0, 6.0, 14.0, 40.0])
def test_a_penalised_favourite_of_a_large_vocabulary_weighs_what_it_weighs(penalty: float, temperature: float, above: float) -> None:
    """Sums are then corrected, not made again, unless the favourite was nearly all of them."""
    chosen = SamplingSettings(temperature=temperature, top_k=50, min_p=0.2, repetition_penalty=penalty)
    answered = 0
    for seed in range(20):
        scores = scores_of(seed, 50_000, 1.0, above=above)
        previous = np.concatenate([np.argsort(-scores)[: 1 + 7 * (seed % 3)], np.arange(30), np.arange(30)])
        quickly, slowly = both(scores, chosen, previous, Selection((seed + 0.5) / 20), 20)
        if quickly is not None:
            answered += 1
            assert_same(quickly, slowly)
    assert answered >= 17


def test_a_whole_run_has_the_records_that_numpy_makes(tiny: Any) -> None:

    def run() -> list:
        generation = Generation(tiny("large"), "Once upon a time", SamplingSettings(temperature=0.9, top_p=0.95, seed=4))
        while len(generation.path) < 25 and generation.finished is None:
            generation.step()
        steps = list(generation.path)
        generation.release()
        return steps

    quickly = run()
    with numpy_alone():
        slowly = run()
    assert [step.token_id for step in quickly] == [step.token_id for step in slowly]
    for one, other in zip(quickly, slowly, strict=True):
        assert one.stage_kept == other.stage_kept
        assert np.allclose(one.probabilities, other.probabilities, rtol=1e-3, atol=1e-6)
