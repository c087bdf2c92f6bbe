"""Compiled dice give exactly the numbers of NumPy's SeedSequence and Philox."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from core.backends import compiled

pytest.importorskip("numba", reason="without it there is nothing compiled")
pytestmark = pytest.mark.usefixtures("compiled_sampling")
WORDS = st.integers(0, 2**32 - 1)


def by_numpy(seed: int, step_index: int, attempt: int) -> float:
    """The throw as NumPy makes it."""
    words = [seed & 0xFFFFFFFF, step_index, attempt, seed >> 32]
    return float(np.random.Generator(np.random.Philox(np.random.SeedSequence(words))).random())


@given(seed=st.integers(0, 2**64 - 1), step_index=WORDS, attempt=WORDS)
@example(seed=2**64 - 1, step_index=2**32 - 1, attempt=2**32 - 1)
@example(seed=2**63, step_index=0, attempt=0)
@example(seed=2**32, step_index=1, attempt=0)
@example(seed=0, step_index=0, attempt=0)
def test_the_same_number(seed: int, step_index: int, attempt: int) -> None:
    assert compiled.roll(seed, step_index, attempt) == by_numpy(seed, step_index, attempt)
