"""Teaching a copy step by step: looks, limits, and the queue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core import Generation, SamplingSettings
from core.experiments.shared.training_queue import QUEUE, Ended, Waiting
from core.experiments.teach import Probe, teach
from core.finetuning.finetune import FineTuning, TrainingPlan

TEXT = "Once upon a time there was a dragon.\nThe sea looked back.\n\nShe could not breathe fire."
ALONE = TrainingPlan(rehearsal=0.0)


def test_what_the_model_knew_before_is_asked_at_every_look_and_never_taught(tiny: Callable[[str], Any]) -> None:
    model = tiny("llama")
    asked, alone = (
        [one for one in teach(FineTuning(model, TEXT, ALONE), "Once upon", 4, known=known) if isinstance(one, Probe)]
        for known in ("The old king", "")
    )
    plain = Generation(model, "The old king", SamplingSettings()).next_distribution()
    assert asked[0].known is not None and alone[0].known is None
    assert asked[0].known.candidates[0].token_id == plain.candidates[0].token_id
    likeliest = [[one.distribution.candidates[0].model_probability for one in looks] for looks in (asked, alone)]
    assert likeliest[0] == likeliest[1], "asking changes nothing"


def test_a_paused_training_can_go_back_to_every_look(tiny: Callable[[str], Any]) -> None:
    tuning = FineTuning(tiny("llama"), TEXT, ALONE)
    paused = teach(tuning, "Once upon", 20)
    seen = [next(paused) for _ in range(4)]
    paused.close()  # type: ignore[attr-defined]
    seen += teach(tuning, "Once upon", 1)
    assert {one.index for one in seen if isinstance(one, Probe)} <= set(tuning.moments)


def test_a_training_ends_at_the_limit_and_waits_for_its_turn(tiny: Callable[[str], Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN_VIEWER_TRAINING_TOKENS", "1")
    assert list(teach(FineTuning(tiny("llama"), TEXT, ALONE), "Once upon", 5))[-1] == Ended("enough tokens")
    with QUEUE.ticket():
        second = teach(FineTuning(tiny("llama"), TEXT, ALONE), "Once upon", 5)
        assert isinstance(next(second), Waiting)
