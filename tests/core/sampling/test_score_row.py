"""The sums of a row after a penalty, which are corrected and not made again."""

from __future__ import annotations

import numpy as np
import pytest

from core.rounding import CHUNK
from core.sampling.samplers.penalties import repetition_penalty
from core.sampling.score_row import Row
from tests.core.sampling.chains import logits_like


@pytest.mark.parametrize("size", [3000, 2 * CHUNK + 77])
@pytest.mark.parametrize("penalty", [0.3, 1.3, 50.0])
@pytest.mark.parametrize("seed", range(6))
def test_a_row_after_a_penalty_measures_as_if_it_were_new(seed: int, penalty: float, size: int) -> None:
    """Whether the favourite was penalised or not, with ids that come twice, and with ids beyond the row."""
    scores = logits_like("ordinary", size, seed).numpy()
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
