"""The probabilities are observed in two ways, for a CPU and by transformers' processors for a GPU. Both give the same record."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from core import SamplingSettings
from core.sampling import stages

VOCABULARY = 5000
SETTINGS = {
    "plain": SamplingSettings(),
    "warm": SamplingSettings(temperature=1.7),
    "top-k": SamplingSettings(top_k=40),
    "nucleus": SamplingSettings(temperature=0.8, top_p=0.9),
    "all": SamplingSettings(temperature=0.9, top_k=100, top_p=0.95, min_p=0.01, typical_p=0.9, repetition_penalty=1.2),
    "greedy": SamplingSettings(greedy=True, repetition_penalty=1.2),
    "penalty": SamplingSettings(repetition_penalty=1.5),
    "encouraged": SamplingSettings(repetition_penalty=0.5, temperature=0.7, top_k=3),
    "min-p": SamplingSettings(min_p=0.05),
    "typical-p": SamplingSettings(typical_p=0.8),
    "typical of few": SamplingSettings(top_k=60, typical_p=0.6),
    "everything kept": SamplingSettings(top_k=VOCABULARY, min_p=1e-30),
}


def _logits(seed: int, spread: float) -> torch.Tensor:
    return torch.randn(VOCABULARY, generator=torch.Generator().manual_seed(seed)) * spread


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize(("spread", "ruled_out"), [(3.0, 0), (0.5, VOCABULARY // 2), (9.0, VOCABULARY - 30)])
def test_cpu_and_gpu_say_the_same(name: str, spread: float, ruled_out: int) -> None:
    """The GPU's way, run on tensors of the CPU: nothing is left behind, all is measured in torch."""
    settings, previous = SETTINGS[name], np.arange(0, 300, 7)
    for seed in range(3):
        logits = _logits(seed, spread)
        logits[torch.randperm(VOCABULARY, generator=torch.Generator().manual_seed(seed))[:ruled_out]] = -torch.inf
        for pick in (
            stages.Selection(),
            stages.Selection(forced=17),
            stages.Selection(greedily=True) if settings.greedy else stages.Selection(roll=seed / 3),
        ):
            here = stages.observe(logits, settings, previous, 20, roll=pick.roll, forced=pick.forced, greedily=pick.greedily)
            there = stages._observe_on_device(logits, settings, previous, pick, 20)
            assert here.chosen == there.chosen
            assert here.stage_kept == there.stage_kept
            for part in ("token_ids", "ranks", "removed_at"):
                assert (getattr(here, part) == getattr(there, part)).all(), part
            np.testing.assert_allclose(here.probabilities, there.probabilities, atol=2e-6, rtol=1e-5)  # float32 sums there
            np.testing.assert_allclose(here.stage_entropies, there.stage_entropies, atol=2e-4)
            both = ~np.isnan(here.dice_starts)
            np.testing.assert_allclose(here.dice_starts[both], there.dice_starts[both], atol=2e-5)


def test_tokens_that_the_model_rules_out_change_no_entropy() -> None:
    logits = _logits(1, 3.0)
    logits[100:] = -torch.inf
    seen = stages.observe(logits, SamplingSettings(), np.arange(3), 20)
    share = torch.softmax(logits[:100].double(), 0)
    assert seen.stage_kept == (100,)
    assert seen.stage_entropies[0] == pytest.approx(float(-(share * share.log2()).sum()), abs=1e-4)
