"""Stages in any order keep what transformers' processors keep, applied one after the other to the whole vocabulary.

Many logits are equal: bfloat16 has 256 numbers between 8 and 16, and a quantized model or a server that rounds has fewer. Which of several
equal tokens a processor keeps depends on how it sorts the whole vocabulary, so the whole vocabulary is compared after every stage.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, given
from hypothesis import settings as budget
from hypothesis import strategies as st

from core import SamplingSettings
from core.errors import BadSetting
from core.sampling import observe_stages
from core.sampling.cut_offs import CLOSE
from core.sampling.observation import History
from tests.core.sampling.chains import KINDS, LARGE_SIZES, SIZES, STRANGE, WITHOUT_TIES, Case, cases, difference, logits_like, on_device

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]


@budget(max_examples=200, suppress_health_check=SLOW)
@given(case=cases())
def test_in_any_order(case: Case) -> None:
    assert difference(case) == ""


@budget(max_examples=100, suppress_health_check=SLOW)
@given(case=cases(shuffled=False))
def test_in_the_order_of_transformers(case: Case) -> None:
    assert difference(case) == ""


@budget(max_examples=10, suppress_health_check=SLOW)
@given(case=cases(LARGE_SIZES))
def test_large_vocabularies(case: Case) -> None:
    assert difference(case) == ""


@budget(max_examples=200)
@given(
    kind=st.sampled_from(KINDS + STRANGE),
    size=st.sampled_from((2, 3, 7, 20, *SIZES)),
    seed=st.integers(0, 10**6),
    top_k=st.sampled_from([0, 10, 50, 1000]),
    place=st.floats(0, 1),
    nudge=st.floats(-3, 3),
)
@pytest.mark.parametrize("name", ["top_p", "min_p", "typical_p"])
def test_a_border_right_beside_a_token(name: str, kind: str, size: int, seed: int, top_k: int, place: float, nudge: float) -> None:
    """The setting lies where the tokens that top-k left make a step, give or take the distance at which transformers is asked."""
    logits = logits_like(kind, size, seed)
    left = np.sort(logits.double().numpy())[::-1][: top_k or size]
    p = np.exp(left - left[0]) / np.exp(left - left[0]).sum()
    if name == "typical_p":
        surprise = -np.log(np.maximum(p, 1e-300))
        p = p[np.argsort(np.abs(surprise - (p * surprise).sum()), kind="stable")]
    index = int(place * (min(len(p), 40) - 1))
    setting = float(p[index] / p[0]) * (1 + nudge * CLOSE) if name == "min_p" else float(p[: index + 1].sum()) + nudge * CLOSE
    if 0 < setting < 1:
        settings = SamplingSettings(top_k=top_k, **{name: setting})  # type: ignore[arg-type]
        assert difference(Case(logits, settings, History(np.zeros(1, np.int64), 1, lambda _: b"a"))) == ""


@budget(max_examples=100, suppress_health_check=SLOW)
@given(
    case=cases(kinds=WITHOUT_TIES),
    pick=st.sampled_from([observe_stages.Selection(), observe_stages.Selection(forced=3), observe_stages.Selection(roll=0.3)]),
)
def test_a_gpu_gives_the_record_of_a_cpu(case: Case, pick: observe_stages.Selection) -> None:
    """The way for a GPU, run on tensors of a CPU."""
    count = min(20, int(torch.isfinite(case.logits).sum()))
    try:
        here = observe_stages.observe(case.logits, case.settings, case.history, count, roll=pick.roll, forced=pick.forced)
    except BadSetting:
        return
    there = on_device(case.logits, case.settings, case.history, pick, count)
    assert (here.chosen, here.stage_kept) == (there.chosen, there.stage_kept)
    for part in ("token_ids", "ranks", "removed_at"):
        assert (getattr(here, part) == getattr(there, part)).all(), part
    np.testing.assert_allclose(here.probabilities, there.probabilities, atol=2e-6, rtol=1e-5)  # float32 sums there
    np.testing.assert_allclose(here.stage_entropies, there.stage_entropies, atol=2e-4)
    starts = np.sort(here.dice_starts), np.sort(there.dice_starts)  # two weights that differ by rounding may change places
    np.testing.assert_allclose(*starts, atol=2e-5)


@pytest.mark.exhaustive
@budget(max_examples=5000, suppress_health_check=SLOW, deadline=None)
@given(case=cases())
def test_five_thousand_in_any_order(case: Case) -> None:
    assert difference(case) == ""


@pytest.mark.exhaustive
@budget(max_examples=300, suppress_health_check=SLOW, deadline=None)
@given(case=cases(LARGE_SIZES))
def test_large_vocabularies_in_any_order(case: Case) -> None:
    assert difference(case) == ""


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"logit_bias": {3: None}, "typical_p": 0.9}, ("typical-p",)),
        ({"top_n_sigma": 1.0, "typical_p": 0.9, "dynatemp_range": 0.3}, ("typical-p", "dynamic temperature")),
        ({"constraint": "regex:[a-z]+", "dynatemp_range": 0.3}, ("dynamic temperature",)),
        ({"logit_bias": {3: 1.5}, "typical_p": 0.9}, ()),
        ({"top_n_sigma": 1.0, "temperature": 0.5}, ()),
        ({"top_n_sigma": 1.0, "typical_p": 0.9, "order": "vllm"}, ()),
    ],
)
def test_the_stages_that_llama_cpp_computes_with_excluded_tokens_are_named(changes: dict[str, Any], expected: tuple[str, ...]) -> None:
    assert SamplingSettings(**({"order": "llama.cpp"} | changes)).counting_excluded == expected
