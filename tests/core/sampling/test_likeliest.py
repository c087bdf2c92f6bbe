"""Of a large vocabulary the likeliest tokens settle what all of them would: top-p, the strip of the dice, the sums after a penalty."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from transformers.generation.logits_process import TopPLogitsWarper

from core.sampling.processors_numpy import PIECE, Row, repetition_penalty, top_p

LARGE = 50_257


def _like_a_language(size: int, seed: int, slope: float = 1.6) -> np.ndarray:
    """Logits whose odds fall as words' frequencies do, with some noise; float32 [size]."""
    draw = np.random.default_rng([seed, size])
    return (draw.normal(0, 0.5, size) - slope * np.log(1 + draw.permutation(size))).astype(np.float32)


def _warper_keeps(scores: np.ndarray, setting: float) -> np.ndarray:
    kept: np.ndarray = TopPLogitsWarper(setting)(torch.zeros(1, 1, dtype=torch.long), torch.from_numpy(scores.copy())[None])[0].numpy()
    return kept > -np.inf


@given(
    seed=st.integers(0, 10**6),
    slope=st.floats(0.0, 3.0),
    place=st.integers(0, 3000),
    nudge=st.floats(-1e-5, 1e-5) | st.sampled_from([0.0, 1e-8, -1e-8, 1e-7, -1e-7]),
    rounded=st.booleans(),
)
def test_borders_beside_a_token_of_a_large_vocabulary(seed: int, slope: float, place: int, nudge: float, rounded: bool) -> None:
    """Top-p is set to where the sum of the likeliest makes a step, give or take what arithmetic may get wrong."""
    scores = _like_a_language(20_000, seed, slope)
    scores = np.round(scores * 4) / 4 if rounded else scores
    shares = np.sort(torch.from_numpy(scores).double().softmax(0).numpy())[::-1].cumsum()
    setting = float(shares[place]) + nudge
    if 0 < setting < 1:
        found = top_p(Row.of(scores, None), setting)
        if found is not None:
            np.testing.assert_array_equal(found, _warper_keeps(scores, setting))


def test_a_penalty_that_takes_nearly_everything_leaves_no_rounding_behind() -> None:
    """The sums are made anew where little of them is left."""
    scores, heavy = np.full(2 * PIECE, -17.0, np.float32), np.arange(1000)
    scores[heavy] = 3.0
    penalised = repetition_penalty(scores, 50.0, heavy[1:])
    found, new = Row.changed(Row.of(scores, None), penalised, heavy[1:]), Row.of(penalised, None)
    assert found.total == pytest.approx(new.total, rel=1e-9)
    assert found.entropy == pytest.approx(new.entropy, rel=1e-6)
