"""Sums of weights in whole registers agree with sums in float64."""

from __future__ import annotations

import numpy as np
import pytest

from tests.core.backends.compiled.loaded import load_compiled

pytest.importorskip("numba")


@pytest.fixture(autouse=True)
def ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_COMPILED", "1")
    load_compiled()


@pytest.mark.parametrize("size", [1, 7, 15, 16, 17, 64, 1000, 4096, 50_257])
@pytest.mark.parametrize("spread", [0.0, 1.0, 12.0, 60.0])
def test_sums_are_those_of_float64(size: int, spread: float) -> None:
    from core.backends.compiled.kernel_weights import sums

    scores = (np.random.default_rng(size).standard_normal(size) * spread).astype(np.float32)
    total, moment = sums(scores, scores.max())
    below = (scores - scores.max()).astype(np.float64)  # the difference is float32's own, as for every other way
    assert total == pytest.approx(np.exp(below).sum(), rel=3e-7)
    assert moment == pytest.approx((np.exp(below) * below).sum(), rel=3e-7, abs=1e-30)


@pytest.mark.parametrize("size", [1, 31, 32, 33, 127, 129, 4096, 50_257])
@pytest.mark.parametrize("temperature", [0.05, 0.8, 1.6])
def test_quotients_are_numpys_and_both_sums_are_those_of_float64(size: int, temperature: float) -> None:
    from core.backends.compiled.kernel_weights import divided_sums

    scores, divisor = np.random.default_rng(size).standard_normal(size).astype(np.float32) * 3, np.float32(temperature)
    scaled = np.empty_like(scores)
    found = divided_sums(scores, scores.max(), divisor, scaled)
    assert np.array_equal(scaled, scores / divisor)
    for kind, (total, moment) in ((scores, found[:2]), (scaled, found[2:])):
        below = (kind - kind.max()).astype(np.float64)
        assert total == pytest.approx(np.exp(below).sum(), rel=3e-7)
        assert moment == pytest.approx((np.exp(below) * below).sum(), rel=3e-7, abs=1e-30)
    in_place = scores.copy()
    assert divided_sums(in_place, scores.max(), divisor, in_place) == found
    assert np.array_equal(in_place, scaled)
