"""The odds are measured in two ways, for a CPU and for a GPU; both must say the same, and the shortcut of top-p what transformers says."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from transformers import TopPLogitsWarper

from core import SamplingSettings, measured_on_gpu, sampling
from core.measured_on_cpu import nucleus

VOCABULARY = 5000
SETTINGS = {
    "plain": SamplingSettings(),
    "warm": SamplingSettings(temperature=1.7),
    "top-k": SamplingSettings(top_k=40),
    "nucleus": SamplingSettings(temperature=0.8, top_p=0.9),
    "all": SamplingSettings(temperature=0.9, top_k=100, top_p=0.95, min_p=0.01, typical_p=0.9, repetition_penalty=1.2),
    "greedy": SamplingSettings(greedy=True, repetition_penalty=1.2),
}


def _logits(seed: int, spread: float) -> torch.Tensor:
    return torch.randn(VOCABULARY, generator=torch.Generator().manual_seed(seed)) * spread


def _on_device(logits: torch.Tensor, settings: SamplingSettings, previous: np.ndarray, pick: sampling.Pick) -> sampling.Observation:
    """What a GPU would do, done on tensors of the CPU: nothing is left behind, all is measured in torch."""
    scores = logits[None]
    seen = [sampling.Scores("model", None, scores, None)]
    for name, setting, process in sampling.processors(settings):
        scores = process(torch.from_numpy(previous)[None], scores)
        seen.append(sampling.Scores(name, setting, scores, None))
    table = measured_on_gpu.measure(seen, pick, settings.greedy, 20)
    return sampling._unpack(table, 20 + pick.any, seen, settings, pick.any)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("spread", [0.5, 3.0, 9.0])
def test_cpu_and_gpu_say_the_same(name: str, spread: float) -> None:
    settings, previous = SETTINGS[name], np.arange(0, 300, 7)
    for seed in range(8):
        logits = _logits(seed, spread)
        for pick in (
            sampling.Pick(),
            sampling.Pick(forced=17),
            sampling.Pick(greedily=True) if settings.greedy else sampling.Pick(roll=seed / 8),
        ):
            here = sampling.observe(logits, settings, previous, 20, roll=pick.roll, forced=pick.forced, greedily=pick.greedily)
            there = _on_device(logits, settings, previous, pick)
            assert here.chosen == there.chosen
            assert here.stage_kept == there.stage_kept
            for part in ("token_ids", "ranks", "removed_at"):
                assert (getattr(here, part) == getattr(there, part)).all(), part
            np.testing.assert_allclose(here.probabilities, there.probabilities, atol=2e-6)
            np.testing.assert_allclose(here.stage_entropies, there.stage_entropies, atol=2e-4)
            both = ~np.isnan(here.dice_starts)
            np.testing.assert_allclose(here.dice_starts[both], there.dice_starts[both], atol=2e-5)


def test_tokens_that_the_model_rules_out_change_no_entropy() -> None:
    logits = _logits(1, 3.0)
    logits[100:] = -torch.inf
    seen = sampling.observe(logits, SamplingSettings(), np.arange(3), 20)
    share = torch.softmax(logits[:100].double(), 0)
    assert seen.stage_kept == (100,)
    assert seen.stage_entropies[0] == pytest.approx(float(-(share * share.log2()).sum()), abs=1e-4)


@pytest.mark.parametrize("top_p", [0.001, 0.3, 0.9, 0.95, 0.999])
@pytest.mark.parametrize("spread", [0.1, 1.0, 2.0, 4.0, 12.0])
def test_the_shortcut_keeps_what_transformers_keeps_or_does_not_answer(top_p: float, spread: float) -> None:
    answered = 0
    for seed in range(30):
        scores = _logits(seed, spread)[None]
        found = nucleus(scores, top_p)
        if found is None:
            continue
        answered += 1
        kept = TopPLogitsWarper(top_p)(torch.zeros(1, 1, dtype=torch.long), scores)[0] > -torch.inf
        assert found.tolist() == torch.nonzero(kept)[:, 0].tolist()
    if spread >= 4.0 and top_p <= 0.95:
        assert answered >= 15


def test_the_shortcut_does_not_decide_between_equals() -> None:
    scores = torch.zeros(1, VOCABULARY)
    scores[0, :4] = 8.0
    assert nucleus(scores, 0.3) is None
