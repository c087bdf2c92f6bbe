"""The race: equal texts, true counts, fair turns, and fits that find what was put in."""

from __future__ import annotations

import math
from typing import Any

import pytest

from core import Generation, SamplingSettings
from core.errors import BadSetting, EmptyPrompt, PromptTooLong
from core.labs.cache_race import CACHED, UNCACHED, RaceStep, fit_parabola, fit_power, growth, next_token, race, same_text, speed_up

SETTINGS = SamplingSettings(temperature=0.9, seed=5)


@pytest.fixture(scope="module", params=["llama", "gpt2", "mixtral", "gemma2"])
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


def test_bytes_are_those_of_the_tensors(tiny: Any) -> None:
    model = tiny("qwen3")
    steps = list(race(model, "Once", SETTINGS, 5))
    prompt = len(model.encode("Once"))
    assert [step.cache_bytes for step in of(steps, CACHED)] == [model.cache_bytes_per_token * (prompt + index) for index in range(5)]


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


def test_the_race_ends_where_the_context_does(tiny: Any) -> None:
    model = tiny("llama")
    steps = list(race(model, "Once", SETTINGS, 500))
    prompt = len(model.encode("Once"))
    assert len(of(steps, CACHED)) == len(of(steps, UNCACHED)) == model.context_length - prompt
    assert same_text(steps)


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


def test_same_text_notices_a_difference() -> None:
    def step(runner: str, index: int, token: int, seconds: float) -> RaceStep:
        return RaceStep(runner, index, token, "", 1.0, 1, 0, seconds, 1, 0)

    steps = [step(CACHED, 0, 5, 1.0), step(UNCACHED, 0, 5, 2.0), step(CACHED, 1, 6, 2.0)]
    assert same_text(steps) and speed_up(steps) == 2.0
    assert not same_text([*steps, step(UNCACHED, 1, 7, 8.0)])
    assert speed_up([*steps, step(UNCACHED, 1, 7, 8.0)]) == 4.0
    assert same_text([]) and speed_up([]) is None and speed_up(steps[:1]) is None


@pytest.mark.parametrize("exponent", [0.5, 1.0, 2.0])
def test_a_power_law_is_found_again(exponent: float) -> None:
    x = [1.0, 2.0, 5.0, 10.0, 50.0]
    power = fit_power(x, [7 * value**exponent for value in x])
    assert power is not None
    assert (power.exponent, power.factor, power.r_squared) == (pytest.approx(exponent), pytest.approx(7), pytest.approx(1))
    assert power.at(3) == pytest.approx(7 * 3**exponent)


def test_counted_positions_grow_as_a_line_and_as_a_triangle(tiny: Any) -> None:
    steps = list(race(tiny("llama"), "O", SETTINGS, 60))
    line, triangle = growth(steps, CACHED, "total_positions"), growth(steps, UNCACHED, "total_positions")
    assert line is not None and triangle is not None
    assert line.exponent == pytest.approx(1, abs=0.1) and triangle.exponent == pytest.approx(2, abs=0.15)


def test_fits_of_too_little_or_of_nothing() -> None:
    assert fit_power([], []) is fit_power([1, 2], [1, 2]) is fit_power([1, 1, 1], [1, 2, 3]) is fit_power([0, -1, 2], [1, 1, 1]) is None
    assert fit_parabola([1], [1]) is None


def test_a_parabola_never_bends_down_or_starts_below_zero() -> None:
    for y in ([1.0, 2.0, 2.5, 2.6], [0.0, 1.0, 5.0, 30.0], [5.0, 5.0, 5.0, 5.0]):
        fitted = fit_parabola([1, 2, 3, 4], y)
        assert fitted is not None and min(fitted) >= 0 and all(map(math.isfinite, fitted))


@pytest.mark.parametrize("wrong", [0, -1, 10**9, 1.5, math.nan, "64", None, True])
def test_impossible_lengths_get_one_sentence(wrong: Any, tiny: Any) -> None:
    with pytest.raises(BadSetting, match="A race goes over 1 to 2,048 tokens, not"):
        next(race(tiny("llama"), "Once", SETTINGS, wrong))


def test_impossible_prompts(tiny: Any) -> None:
    with pytest.raises(EmptyPrompt):
        next(race(tiny("llama"), ""))
    with pytest.raises(PromptTooLong):
        next(race(tiny("llama"), "word " * 500))


def test_a_race_broken_off_gives_its_memory_back(tiny: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    released: list[Generation] = []
    monkeypatch.setattr(Generation, "release", lambda run: released.append(run))
    running = race(tiny("llama"), "Once", SETTINGS, 20)
    for _ in range(6):
        next(running)
    del running
    assert sorted(run.use_cache for run in released) == [False, True]
