"""Rolling one step many times gives the picks of the run itself, and counts that follow the probabilities."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core import Generation, SamplingSettings
from core.generation.step_again import resample

Model = Callable[[str], Any]
TEXT = "Once upon a time"
SETTINGS = [
    SamplingSettings(seed=3),
    SamplingSettings(temperature=0.6, top_k=7, seed=4),
    SamplingSettings(top_p=0.7, min_p=0.01, seed=5),
    SamplingSettings(repetition_penalty=1.7, temperature=1.4, seed=6),
]


@pytest.mark.parametrize("settings", SETTINGS)
def test_every_roll_is_the_one_the_run_would_make(settings: SamplingSettings, tiny: Model) -> None:
    run = Generation(tiny("llama"), TEXT, settings, top_n=20)
    distribution = run.next_distribution()
    listed = set(distribution.token_ids.tolist())
    thrown = resample(distribution, 40)
    for attempt in range(40):
        step = run.step(attempt)
        assert step.roll == thrown.rolls[attempt]
        assert thrown.token_ids[attempt] == (step.token_id if step.token_id in listed else -1)
        run.go_to(-1)


def test_a_step_already_made_is_rolled_like_the_odds_before_it(tiny: Model) -> None:
    run = Generation(tiny("llama"), TEXT, SETTINGS[1])
    before = resample(run.next_distribution(), 100)
    step = run.step()
    text = run.text
    after = resample(step, 100)
    assert after.token_ids.tolist() == before.token_ids.tolist()
    assert after.token_ids[0] == step.token_id
    assert run.text == text


def test_later_rolls_go_on_where_the_earlier_ended(tiny: Model) -> None:
    distribution = Generation(tiny("llama"), TEXT, SETTINGS[0]).next_distribution()
    assert resample(distribution, 30).rolls.tolist() == [*resample(distribution, 10).rolls, *resample(distribution, 20, first=10).rolls]
