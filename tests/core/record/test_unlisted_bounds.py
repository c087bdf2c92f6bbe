"""If only the likeliest tokens are known, what is called exact is exact, and a pick that the list settles is the true pick."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import example, given
from hypothesis import strategies as st

from core.record.unlisted_bounds import TopLogprobs
from core.sampling import observe_stages
from core.sampling.observe_stages import Observation, observe
from core.sampling.settings import SamplingSettings
from tests.core.sampling.chains import text_of

VOCABULARY = 60
NOTHING = text_of([0])


def listed_of(logits: np.ndarray, count: int) -> TopLogprobs:
    """The `count` likeliest tokens of these logits, as a server would list them."""
    logprobs = logits - np.log(np.exp(logits).sum())
    ids = np.argsort(-logprobs, kind="stable")[:count]
    return TopLogprobs(ids.astype(np.int64), logprobs[ids], len(logits))


def heap(logits: np.ndarray, count: int) -> np.ndarray:
    """The same list, with the rest heaped onto as few tokens as it can be."""
    listed = listed_of(logits, count)
    most, logprobs = math.exp(listed.logprobs[-1]), np.full(len(logits), -30.0)
    logprobs[listed.ids] = listed.logprobs
    rest = listed.rest
    for token in np.setdiff1d(np.arange(len(logits)), listed.ids):
        taken = min(rest, most * 0.999)
        logprobs[token], rest = math.log(max(taken, 1e-13)), rest - taken
    return logprobs


def watch(logits: np.ndarray | torch.Tensor, sampling: SamplingSettings, count: int) -> Observation:
    return observe(torch.as_tensor(logits, dtype=torch.float32), sampling, NOTHING, count)


def shares(seen: Observation, row: int) -> dict[int, float]:
    return dict(zip(seen.token_ids.tolist(), seen.probabilities[row].tolist(), strict=True))


choices = st.builds(
    SamplingSettings,
    temperature=st.sampled_from([0.2, 0.7, 1.0, 1.5, 4.0]),
    top_k=st.sampled_from([0, 1, 5, 12, 13, 30, 60, 99]),
    top_p=st.sampled_from([0.1, 0.5, 0.9, 0.95, 0.99, 1.0]),
    min_p=st.sampled_from([0.0, 0.001, 0.05, 0.3, 1.0]),
    typical_p=st.sampled_from([0.3, 0.9, 1.0]),
    repetition_penalty=st.sampled_from([1.0, 1.0, 1.0, 1.3]),
    greedy=st.booleans(),
)


@example(sampling=SamplingSettings(temperature=1.5, top_p=0.1, typical_p=0.3), seed=2, spread=1.0, count=2, shape="tied")
@given(
    sampling=choices,
    seed=st.integers(0, 10_000),
    spread=st.sampled_from([0.1, 1.0, 3.0, 8.0]),
    count=st.integers(1, 60),
    shape=st.sampled_from(["smooth", "tied", "heaped"]),
)
def test_whatever_is_called_exact_agrees_with_the_whole_vocabulary(
    sampling: SamplingSettings, seed: int, spread: float, count: int, shape: str
) -> None:
    logits = np.random.default_rng(seed).normal(0.0, spread, VOCABULARY)
    if shape == "tied":  # as half-precision models give them
        logits = np.round(logits * 2) / 2
    if shape == "heaped":
        logits = heap(logits, count)
    listed = listed_of(logits, count)
    guessed, true = watch(listed.logits(), sampling, count), watch(logits, sampling, VOCABULARY)
    assert guessed.stage_names == true.stage_names
    exact = listed.exact_stages(zip(guessed.stage_names, guessed.stage_settings, strict=True))
    for row, sure in enumerate(exact):
        if sure:
            expected = shares(true, row)
            for token, share in shares(guessed, row).items():
                assert share == pytest.approx(expected[token], abs=3e-5), guessed.stage_names[row]
    assert exact[0]


def one(name: str, setting: float, logits: np.ndarray, count: int) -> bool:
    return listed_of(logits, count).exact_stages([("model", None), (name, setting)])[-1]


RAMP = -np.arange(VOCABULARY) / 4.0


# Whether a stage is exact when so many tokens are listed. At 12 of 12 the first unlisted token could tie with the last listed one.
CASES: dict[str, list[tuple[float, int, bool]]] = {
    "temperature": [(0.5, 10, False), (2.0, 10, False)],
    "top-k": [(10.0, 12, True), (12.0, 12, False), (30.0, 12, False), (99.0, 12, True)],
    "top-p": [(0.5, 12, True), (0.99, 12, False)],
    "min-p": [(0.5, 12, True), (0.01, 12, False)],
    "typical-p": [(0.9, 12, False)],
    "repetition penalty": [(1.2, 12, False), (1.2, 60, False)],
    "greedy": [(0.0, 1, True)],
}


@pytest.mark.parametrize("name", CASES)
def test_a_cut_within_the_list_is_exact_and_one_into_the_rest_is_not(name: str) -> None:
    for setting, count, expected in CASES[name]:
        assert one(name, setting, RAMP, count) is expected, (setting, count)


def test_what_a_cut_has_removed_no_longer_makes_anything_doubtful() -> None:
    stages: list[Any] = [("model", None), ("temperature", 1.5), ("top-k", 5.0), ("top-p", 0.9), ("typical-p", 0.8)]
    assert listed_of(RAMP, 12).exact_stages(stages) == (True, False, True, True, True)


def test_the_logits_hold_the_list_and_spread_the_rest_evenly_below_it() -> None:
    listed = listed_of(RAMP, 12)
    distribution = torch.softmax(listed.logits().double(), 0).numpy()
    np.testing.assert_allclose(distribution[:12], np.exp(listed.logprobs), rtol=1e-5)
    np.testing.assert_allclose(distribution[12:], listed.rest / 48, rtol=1e-5)
    assert distribution[12:].max() <= distribution[:12].min()


def test_a_token_asked_for_by_name_stands_beside_the_list() -> None:
    listed = listed_of(RAMP, 12)
    named = TopLogprobs(listed.ids, listed.logprobs, VOCABULARY, extra=(40, math.log(1e-4)))
    distribution = torch.softmax(named.logits().double(), 0).numpy()
    assert distribution[40] == pytest.approx(1e-4, rel=1e-4)
    assert distribution.sum() == pytest.approx(1.0)
    assert 40 in named
    assert 40 not in listed
    np.testing.assert_allclose(distribution[:12], np.exp(listed.logprobs), rtol=1e-5)


# Picks that the list alone settles

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
    return [("model", None), *((name, setting) for name, setting, _ in observe_stages.processors(settings))]


def picked(logits: np.ndarray, settings: SamplingSettings, roll: float) -> int:
    return observe_stages.observe(torch.as_tensor(logits, dtype=torch.float32), settings, NOTHING, 5, roll=roll).chosen


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_a_settled_pick_is_that_of_every_distribution_with_this_list(settings: SamplingSettings) -> None:
    generator = np.random.default_rng(11)
    settled = 0
    for _ in range(150):
        logits, roll = generator.normal(0.0, 3.0, 60), float(generator.random())
        listed = listed_of(logits, 15)
        if listed.certain_pick(active(settings), roll):
            settled += 1
            taken = {picked(one, settings, roll) for one in (logits, heap(logits, 15), listed.logits().numpy())}
            assert len(taken) == 1
    assert settled > 60 or settings.typical_p < 1.0


@pytest.mark.parametrize("temperature", [0.05, 0.3, 0.8, 1.0, 1.7, 2.0])
@pytest.mark.parametrize("rounding", [0.0, -3e-7, 2e-7])
def test_a_list_that_ends_in_minus_infinity_leaves_nothing_to_be_estimated(temperature: float, rounding: float) -> None:
    odds = np.array([math.log(0.75) + rounding, math.log(0.25), -1e4, -1e4])
    listed = TopLogprobs(np.arange(4), odds, 1000)
    settings = SamplingSettings(temperature=temperature, seed=1)
    assert all(listed.exact_stages(active(settings)))
    assert listed.certain_pick(active(settings), 0.5)
    seen = observe_stages.observe(listed.logits(), settings, NOTHING, 4, roll=0.999999)
    assert seen.chosen in (0, 1)
    assert np.isfinite(seen.probabilities).all()
