"""The race with and without a cache: equal texts, true counts, fair turns, and fits that find the given slope."""

from __future__ import annotations

import random
from typing import Any

import pytest

from core import Generation, SamplingSettings
from core.experiments.cache import CACHED, UNCACHED, RaceStep, race, same_text, trend
from core.experiments.shared.next_token import next_token
from tests.tiny_models import some

SETTINGS = SamplingSettings(temperature=0.9, seed=5)


@pytest.fixture(scope="module", params=some(["llama", "gpt2", "mixtral", "gemma2"], ["llama", "gemma2"]))
def raced(request: pytest.FixtureRequest, tiny: Any) -> tuple[Any, list[RaceStep]]:
    model = tiny(request.param)
    return model, list(race(model, "Once upon a time", SETTINGS, 24))


def of(steps: list[RaceStep], runner: str) -> list[RaceStep]:
    return [step for step in steps if step.runner == runner]


def test_both_write_the_same_text(raced: tuple[Any, list[RaceStep]]) -> None:
    _, steps = raced
    one, other = of(steps, CACHED), of(steps, UNCACHED)
    assert [step.token_id for step in one] == [step.token_id for step in other]
    assert same_text(steps) and len(one) == 24


def test_positions_are_flat_against_growing(raced: tuple[Any, list[RaceStep]]) -> None:
    model, steps = raced
    prompt = len(model.encode("Once upon a time"))
    assert [step.computed for step in of(steps, CACHED)] == [prompt] + [1] * 23 or "gemma" in model.name
    assert [step.computed for step in of(steps, UNCACHED)] == list(range(prompt, prompt + 24))
    assert of(steps, UNCACHED)[-1].total_positions == sum(range(prompt, prompt + 24))
    assert all(step.cache_bytes == 0 for step in of(steps, UNCACHED))
    assert all(step.computed + step.reused == prompt + step.index for step in steps)


def test_totals_add_up_and_nobody_runs_ahead_by_more_than_a_step(raced: tuple[Any, list[RaceStep]]) -> None:
    _, steps = raced
    for runner in (CACHED, UNCACHED):
        total = 0.0
        for step in of(steps, runner):
            total += step.seconds
            assert step.total_seconds == pytest.approx(total)
    clocks = {CACHED: 0.0, UNCACHED: 0.0}
    written = {CACHED: 0, UNCACHED: 0}
    for step in steps:
        other = UNCACHED if step.runner == CACHED else CACHED
        assert clocks[step.runner] <= clocks[other] or written[other] == 24
        clocks[step.runner], written[step.runner] = step.total_seconds, step.index + 1


def test_an_end_of_text_is_passed_over_by_the_next_best_token(tiny: Any) -> None:
    model = tiny("llama")
    run = Generation(model, "Once upon", SamplingSettings(greedy=True), top_n=2)
    first, second = run.next_distribution().candidates[:2]
    ends = model.end_token_ids
    model.end_token_ids = frozenset({first.token_id})
    try:
        step = next_token(run)
    finally:
        model.end_token_ids = ends
    assert step is not None and (step.token_id, step.chosen_by) == (second.token_id, "forced")


def made_up(prompt: int, count: int, base: float, slope: float, noise: float = 0.0, prefill: float = 0.5) -> list[RaceStep]:
    """A runner without a notepad whose passes take base + slope x tokens, and every seventh of them three times as long."""
    chance = random.Random(4)
    steps = []
    for index in range(count):
        seconds = prefill if index == 0 else base + slope * (prompt + index) + noise * chance.random()
        seconds *= 3 if index % 7 == 3 else 1
        steps.append(RaceStep(UNCACHED, index, 5, "", seconds, prompt + index, 0, 0.0, 0, 0))
    return steps


@pytest.mark.parametrize("prompt", [1, 10, 400])
def test_how_a_step_grows_is_found_whatever_the_prompt_is(prompt: int) -> None:
    found = trend(made_up(prompt, 129, 0.002, 5e-5, noise=2e-4), UNCACHED)
    assert found is not None
    assert found.slope == pytest.approx(5e-5, rel=0.05)
    assert found.error < 1e-5
    assert found.r_squared > 0.97
    assert found.grows
    assert (found.steps, found.prompt, found.first) == (128, prompt, 0.5)
    by_hand = 0.5 + sum(found.base + found.slope * (prompt + index) for index in range(1, 129))
    assert found.total(129) == pytest.approx(by_hand)
    assert found.total(1) == 0.5
