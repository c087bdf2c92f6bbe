"""The NumPy shortcuts keep exactly the tokens of transformers' processors, or say that they cannot tell."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.generation.logits_process import (
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)

from core.sampling.processors_numpy import CHUNK, CLOSE, FEW, MANY, Row, min_p, repetition_penalty, top_k, top_p, typical_p
from tests.tiny_models import some

Cut = Callable[[Row, float], np.ndarray | None]
PAIRS: dict[str, tuple[Cut, Callable[[float], Any]]] = {
    "top-k": (top_k, lambda setting: TopKLogitsWarper(int(setting))),
    "top-p": (top_p, TopPLogitsWarper),
    "min-p": (min_p, MinPLogitsWarper),
    "typical-p": (typical_p, TypicalLogitsWarper),
}
SIZES = (1, 2, 3, 20, 100, FEW - 1, FEW, FEW + 1, 5000, MANY + 100)


def hostile(kind: str, size: int, seed: int) -> np.ndarray:
    """Scores of a kind that a model may well give, or that only a broken or malicious one would."""
    draw = np.random.default_rng([seed, size])
    scores = draw.normal(0, 1, size)
    made = {
        "even": lambda: scores * 0.01,
        "ordinary": lambda: scores * 3,
        "sure": lambda: scores * 3 + 25 * (np.arange(size) == seed % size),
        "steep": lambda: draw.permutation(-0.7 * np.arange(size)),
        "few levels": lambda: np.round(scores * 1.5),
        "all equal": lambda: np.full(size, 3.25),
        "ruled out": lambda: np.where(draw.random(size) < 0.6, -math.inf, scores * 3),
        "huge": lambda: scores * 1e30,
        "large": lambda: scores * 1e4,
        "tiny": lambda: scores * 1e-40,
        "a server's list": lambda: np.where(np.arange(size) < 20, 5 + scores, -9.0),
    }[kind]()
    if np.isneginf(made).all():
        made[0] = 0.0
    return made.astype(np.float32)


KINDS = "even|ordinary|sure|steep|few levels|all equal|ruled out|huge|large|tiny|a server's list".split("|")
some_scores = st.builds(hostile, st.sampled_from(KINDS), st.sampled_from(SIZES) | st.integers(1, 3000), st.integers(0, 10**6))


def kept_by_transformers(process: Any, scores: np.ndarray) -> np.ndarray:
    """Which of these scores the class keeps."""
    given_scores = torch.from_numpy(scores.copy())[None]
    return process(torch.zeros(1, 1, dtype=torch.long), given_scores)[0].numpy() > -math.inf


def assert_same_or_unsure(name: str, scores: np.ndarray, setting: float) -> bool:
    """Whether the shortcut answered; if it did, it must have said what the class says."""
    cut, process = PAIRS[name]
    with np.errstate(all="ignore"):
        found = cut(Row.of(scores, None), setting)
    if found is not None:
        expected = kept_by_transformers(process(setting), scores)
        assert ((found & (scores > -math.inf)) == expected).all(), (name, setting, len(scores), found.sum(), expected.sum())
    return found is not None


@given(scores=some_scores, count=st.integers(1, 40) | st.integers(1, 30_000))
def test_top_k(scores: np.ndarray, count: int) -> None:
    assert assert_same_or_unsure("top-k", scores, count)  # nothing but comparisons: it is always sure


shares = st.floats(0.001, 0.999) | st.sampled_from([1e-12, 1e-6, 0.5, 0.9, 0.95, 1 - 1e-6, 1 - 1e-12])


@pytest.mark.parametrize("name", ["top-p", "min-p", "typical-p"])
@given(scores=some_scores, share=shares)
def test_any_share_of_any_scores(name: str, scores: np.ndarray, share: float) -> None:
    assert_same_or_unsure(name, scores, share)


@pytest.mark.parametrize("name", ["top-p", "min-p", "typical-p"])
@given(scores=some_scores, place=st.floats(0, 1), beside=st.sampled_from([-1, 1]), distance=st.floats(1.0, 3.0) | st.floats(0.0, 1.0))
def test_borders_set_right_beside_a_token(name: str, scores: np.ndarray, place: float, beside: int, distance: float) -> None:
    """The setting is chosen so that a border falls just outside (or inside) the distance at which the class is asked."""
    alive = scores[scores > -math.inf].astype(np.float64)
    weights = np.exp(alive - alive.max())
    distribution = weights / weights.sum()
    if name == "typical-p":
        order = np.argsort(
            np.abs(
                np.log(np.maximum(distribution, 1e-300)) - (distribution[distribution > 0] * np.log(distribution[distribution > 0])).sum()
            )
        )
        distribution = distribution[order]
    else:
        distribution = np.sort(distribution)[::-1]
    index = int(place * (min(len(distribution), 40) - 1))
    if name == "min-p":
        setting = float(distribution[index] / distribution[0]) * (1 + beside * distance * CLOSE)
    else:
        setting = float(distribution[: index + 1].sum()) + beside * distance * CLOSE
    if 0 < setting < 1:
        assert_same_or_unsure(name, scores, setting)


@pytest.mark.parametrize(
    ("name", "setting"),
    [("top-p", 0.3), ("top-p", 0.9), ("top-p", 0.95), ("min-p", 0.01), ("min-p", 0.3), ("typical-p", 0.5), ("typical-p", 0.9)],
)
@pytest.mark.parametrize("size", some([30, 100, FEW, 5000, 50_000], [100, 5000]))
def test_on_ordinary_scores_they_are_nearly_always_sure(name: str, setting: float, size: int) -> None:
    sure = [assert_same_or_unsure(name, hostile("ordinary", size, seed) * 1.5, setting) for seed in range(40)]
    assert sum(sure) >= (30 if name != "typical-p" or size <= 100 else 10 if size <= FEW else 0), sum(sure)


@pytest.mark.parametrize(
    ("name", "shares", "setting"),
    [
        ("top-p", [0.5, 0.25, 0.25], 0.6),  # one of two equal ones is enough
        ("min-p", [0.5, 0.25, 0.25], 0.5),
        ("min-p", [0.6, 0.4], 1.0),
        ("typical-p", [0.5, 0.25, 0.25], 0.5),
        ("typical-p", [0.25, 0.25, 0.25, 0.25], 0.3),
    ],
)
def test_a_border_on_a_token_is_left_to_transformers(name: str, shares: list[float], setting: float) -> None:
    assert not assert_same_or_unsure(name, np.log(np.array(shares)).astype(np.float32), setting)


@given(scores=some_scores, penalty=st.floats(0.001, 100), previous=st.lists(st.integers(0, 6000), min_size=1, max_size=300))
def test_a_repetition_penalty_gives_the_very_same_scores(scores: np.ndarray, penalty: float, previous: list[int]) -> None:
    """Tokens that come several times are penalised once; those beyond the vocabulary are nobody's."""
    ids = np.array(previous, dtype=np.int64)
    with np.errstate(all="ignore"):
        found = repetition_penalty(scores, penalty, ids)
    expected = RepetitionPenaltyLogitsProcessor(penalty)(torch.from_numpy(ids)[None], torch.from_numpy(scores)[None])
    np.testing.assert_array_equal(found, expected[0].numpy())


@pytest.mark.parametrize("size", [3000, 2 * CHUNK + 77])
@pytest.mark.parametrize("penalty", [0.3, 1.3, 50.0])
@pytest.mark.parametrize("seed", range(6))
def test_a_row_after_a_penalty_measures_as_if_it_were_new(seed: int, penalty: float, size: int) -> None:
    """Whether the favourite was penalised or not, with ids that come twice, and with ids beyond the row."""
    scores = hostile("ordinary", size, seed)
    ids = np.append(np.random.default_rng(seed).integers(0, size, 200), size + seed)
    ids = np.append(ids, ids[:50])
    ids = ids if seed % 2 else np.append(ids, int(scores.argmax()))
    changed = repetition_penalty(scores, penalty, ids)
    found, new = Row.changed(Row.of(scores, None), changed, ids), Row.of(changed, None)
    for name in ("scores", "below", "top"):
        np.testing.assert_array_equal(getattr(found, name), getattr(new, name))
    np.testing.assert_allclose(found.weights, new.weights, rtol=1e-6)
    for name in ("total", "mean", "log_sum", "entropy", "kept"):
        assert getattr(found, name) == pytest.approx(getattr(new, name), rel=1e-6), name
