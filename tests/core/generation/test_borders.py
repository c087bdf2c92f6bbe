"""A roll beside a border: a step is repeated as it was recorded, however its probabilities are computed the second time.

A text that is read at once, from a rebuilt cache or in a batch, has sums that differ in the last digits from those of one token at a time.
Where a roll falls beside a border, that decides. So a link names the token that each roll picked.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from core import Generation, SamplingSettings
from core.errors import BadToken, RunFinished
from core.experiments.candidates.best_of_n import write_together
from core.generation.generation import BESIDE
from core.record.step import Step
from core.sampling.dice import roll
from pages.ui.session.link_replay import apply_step
from pages.ui.session.share_link import format_steps, parse_steps
from tests.tiny_models import some

PROMPTS = ["Once upon a time there was", "The capital of France is", "The bear said that", "In the snow"]


def told_again(run: Generation, settings: SamplingSettings) -> Generation:
    """The run that opening its link makes."""
    again = Generation(run.model, run.prompt, settings, top_n=3)
    for entry in parse_steps(format_steps(run.path)) or []:
        assert not isinstance(entry, SamplingSettings)
        apply_step(again, entry)
    return again


def how(path: list[Step]) -> list[tuple[int, str, float | None, int]]:
    return [(step.token_id, step.chosen_by, step.roll, step.attempt) for step in path]


@pytest.mark.parametrize(("seeds", "steps"), [(2, 40), pytest.param(8, 200, marks=pytest.mark.exhaustive)])
def test_hot_texts_with_caches_dropped_at_random_are_told_again_by_their_links(
    seeds: int, steps: int, tiny: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`python -m tests.benchmarks.links` does the same over 10,000 steps, and says how many texts would differ by their seed alone."""
    model, chance = tiny("large"), random.Random(5)
    monkeypatch.setattr(model, "end_token_ids", frozenset())
    for seed in range(seeds):
        settings = SamplingSettings(temperature=1.6, seed=seed)
        run = Generation(model, PROMPTS[seed % len(PROMPTS)], settings, top_n=3)
        for _ in run.stream(steps):
            if chance.random() < 0.1:
                run.release()
        again = told_again(run, settings)
        assert len(run.path) == steps
        assert (how(again.path), again.text) == (how(run.path), run.text)


@pytest.mark.parametrize(("seeds", "count"), [(1, 6), pytest.param(5, 32, marks=pytest.mark.exhaustive)])
def test_tries_of_a_batch_are_told_again_alone(seeds: int, count: int, tiny: Any) -> None:
    """At temperature 2 about a tenth of all tries would go another way."""
    model = tiny("large")
    for seed in range(seeds):
        settings = SamplingSettings(temperature=2.0, seed=seed)
        for attempt in list(write_together(model, PROMPTS[seed % len(PROMPTS)], settings, count=count, steps=12))[-1].tries:
            alone = Generation(model, PROMPTS[seed % len(PROMPTS)], settings, top_n=3)
            for step in attempt.path:
                alone.step(step.attempt, step.token_id)
            assert how(alone.path) == how(list(attempt.path))
            assert alone.written == attempt.text


@pytest.mark.parametrize("architecture", some(["gpt2", "llama", "mamba", "gemma2"], ["llama", "mamba"]))
def test_a_roll_beside_a_border_may_be_told_to_have_picked_either(architecture: str, tiny: Any) -> None:
    """A seed is sought whose first roll falls right beside a border; both neighbours are taken as rolled, all others as forced."""
    model = tiny(architecture)
    odds = Generation(model, "The sea", SamplingSettings(), top_n=model.vocabulary_size).next_distribution()
    order = np.argsort(odds.dice_starts)
    starts = odds.dice_starts[order]
    seed, place = next(
        (seed, place)
        for seed in range(10_000)
        for place in range(1, 12)
        if abs(roll(seed, 0) - starts[place]) < BESIDE / 2 and starts[place + 1] - starts[place] > 2 * BESIDE
    )
    settings = SamplingSettings(seed=seed)
    for token_id in odds.token_ids[order[[place - 1, place]]].tolist():
        step = Generation(model, "The sea", settings).step(0, token_id)
        assert (step.token_id, step.chosen_by, step.roll) == (token_id, "sampled", roll(seed, 0))
    far = int(odds.token_ids[order[place + 3]])
    step = Generation(model, "The sea", settings).step(0, far)
    assert (step.token_id, step.chosen_by, step.roll) == (far, "forced", None)


def test_what_was_thrown_once_in_a_run_stands(tiny: Any) -> None:
    """A throw has one outcome in a run, whatever the cache holds when it is asked for again."""
    run = Generation(tiny("gpt2"), "The sea", SamplingSettings(temperature=1.6, seed=2))
    first = [run.step() for _ in range(4)]
    run.go_to(0)
    second_try = run.step(1)
    run.go_to(0)
    model: Any = run.model
    passes = model.engine.passes
    assert run.step() is first[1]
    assert model.engine.passes == passes
    run.go_to(0)
    assert run.step(1) is second_try
    run.go_to(0)
    assert run.force(first[1].token_id) is not first[1]


def test_impossible_outcomes_are_refused_in_a_sentence(tiny: Any) -> None:
    run = Generation(tiny("gpt2"), "The sea")
    for outcome in (-1, 10**9, True, [1]):
        with pytest.raises(BadToken):
            run.step(0, outcome)  # type: ignore[arg-type]
    assert run.path == []
    run.force(next(iter(run.model.end_token_ids)))
    with pytest.raises(RunFinished):
        run.step(0, 41)
