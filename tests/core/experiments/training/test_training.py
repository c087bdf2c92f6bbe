"""A step of training beside one of inference, and a model that learns from random weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core.experiments.shared.training_queue import Ended
from core.experiments.training import scratch_training
from core.experiments.training.scratch_training import ScratchTrainingStep, train_from_scratch
from core.experiments.training.training_step import compare_steps
from core.finetuning.finetune import TrainingPlan
from core.finetuning.from_scratch import ScratchModel

TEXT = "Once upon a time there was a dragon.\nThe sea looked back.\n\nShe could not breathe fire."
ALONE = TrainingPlan(rehearsal=0.0)


def test_inference_leaves_every_bit_and_training_changes_weights(tiny: Callable[[str], Any]) -> None:
    seen = compare_steps(tiny("llama"), TEXT)
    before, after = seen.inference_fingerprints
    assert before == after == seen.training_fingerprints[0] != seen.training_fingerprints[1]
    assert 0.2 * seen.weights < seen.changed <= seen.weights
    assert seen.training_work.backward == 2 * seen.training_work.forward


def test_a_model_from_random_weights_learns_to_write_a_text(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch_training, "WRITTEN", 5)
    child = ScratchModel("the cat sat on the mat and the dog sat on the log. " * 12, seed=1)
    assert 80_000 < child.parameter_count < 130_000
    seen = list(train_from_scratch(child, "the ", steps=25, sample_every=24))
    grown = [one for one in seen if isinstance(one, ScratchTrainingStep)]
    assert grown[0].bits > 6 and grown[-1].bits < 4, "from eight bits a byte, knowing nothing, to a text that is partly learned"
    assert [one.index for one in grown if one.sample is not None] == [1, 25]
    assert seen[-1] == Ended("done")
