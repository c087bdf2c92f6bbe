"""One step under two settings: each side is what a run with these settings would make, with one pass of the model."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from core import Generation, SamplingSettings
from core.errors import BadSetting, RunFinished
from core.generation.step_again import jensen_shannon, two_settings

A, B = SamplingSettings(temperature=0.7, top_p=0.8, seed=5), SamplingSettings(temperature=1.5, top_k=9, seed=5, order="llama.cpp")
PROMPT = "The sea looked back"


def same(step: Any, other: Any) -> None:
    """Equal but for the pass, which is shared."""
    assert (step.index, step.position, step.token_id, step.roll, step.settings) == (
        other.index, other.position, other.token_id, other.roll, other.settings)  # fmt: skip
    assert step.stage_kept == other.stage_kept and step.stage_names == other.stage_names
    np.testing.assert_allclose(step.probabilities, other.probabilities, atol=1e-6)


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_each_side_is_the_step_that_a_run_with_its_settings_makes(architecture: str, tiny: Any) -> None:
    model = tiny(architecture)
    run = Generation(model, PROMPT, A)
    run.generate(3)
    passes = model.engine.passes
    found = two_settings(run, run.next_distribution(), A, B)
    assert model.engine.passes == passes + 1 and len(run.path) == 3 and len(run.nodes) == 4
    for settings, side in ((A, found.first), (B, found.second)):
        other = Generation(model, PROMPT, A)
        other.generate(3)
        other.settings = settings
        same(side, other.step())


def test_the_newest_step_needs_no_pass_and_an_older_one_a_single_pass(tiny: Any) -> None:
    model = tiny("llama")
    run = Generation(model, PROMPT, A)
    run.generate(4)
    run.step(attempt=3)
    passes = model.engine.passes
    for _ in range(3):
        found = two_settings(run, run.path[-1], A, B)
    assert model.engine.passes == passes
    same(found.first, run.path[-1])
    assert found.first.roll == found.second.roll == run.path[-1].roll
    older = two_settings(run, run.path[1], A, B)
    two_settings(run, run.path[1], B, A)
    assert model.engine.passes == passes + 1
    same(older.first, run.path[1])
    assert run.step().index == 5


def test_the_numbers_against_sums_over_the_whole_vocabulary(tiny: Any) -> None:
    model = tiny("gpt2")
    run = Generation(model, PROMPT, A, top_n=model.vocabulary_size)
    found = two_settings(run, run.next_distribution(), A, B)
    p, q = (dict(zip(side.token_ids.tolist(), side.probabilities[-1].tolist(), strict=True)) for side in (found.first, found.second))
    assert found.moved == pytest.approx(sum(abs(p[i] - q[i]) for i in p) / 2, abs=1e-6)
    each = [x * math.log2(2 * x / (p[i] + q[i])) / 2 for i in p for x in (p[i], q[i]) if x > 0]
    assert found.divergence == pytest.approx(sum(each), abs=1e-6) and found.exact
    alike = two_settings(run, run.next_distribution(), A, A)
    assert (alike.moved, alike.divergence) == (0.0, 0.0)
    assert jensen_shannon(np.array([1.0, 0.0]), np.array([0.0, 1.0])) == 1.0


def test_greedy_constraints_and_mirostat_can_be_sides(tiny: Any) -> None:
    run = Generation(tiny("llama"), PROMPT, SamplingSettings(mirostat_tau=3.0))
    run.generate(3)
    found = two_settings(run, run.path[-1], SamplingSettings(greedy=True), SamplingSettings(constraint="choices:yes\nno"))
    assert found.first.chosen_by == "greedy" and found.second.stage_names[-1] == "constraint"
    same(two_settings(run, run.path[-1], run.settings, A).first, run.path[-1])


def test_bad_settings_and_an_ended_run_are_refused_and_change_nothing(tiny: Any) -> None:
    model = tiny("llama")
    run = Generation(model, PROMPT, A, most_new_tokens=1)
    seen = run.next_distribution()
    with pytest.raises(BadSetting, match="leave no token"):
        two_settings(run, seen, A, SamplingSettings(constraint="choices:a", logit_bias=dict.fromkeys(range(model.vocabulary_size), None)))
    run.step()
    with pytest.raises(RunFinished):
        two_settings(run, _later(run), A, B)
    assert len(run.path) == 1
    assert two_settings(run, run.path[0], A, B).first.token_id == run.path[0].token_id


def _later(run: Generation) -> Any:
    """A distribution of the place after the end of the run."""
    other = Generation(run.model, PROMPT, A)
    other.step()
    return other.next_distribution()
