"""Prompt length against time, the end of the context, and the cost of one request."""

from __future__ import annotations

from typing import Any

import pytest

from core import Generation, SamplingSettings
from core.costs.operations_and_bytes import multiply_adds, pass_multiply_adds
from core.errors import NotForThisModel
from core.experiments import context
from core.experiments.context import at_the_limit, lengths_for, measure
from core.experiments.cost import request
from tests.tiny_models import CONTEXT

PROMPT = "Once upon a time"


def test_every_length_is_measured_and_its_work_computed(tiny: Any) -> None:
    model = tiny("llama")
    points = list(measure(model, PROMPT, [4, 16, 60], repeats=3))
    assert [point.length for point in points] == [4, 16, 60] * 3
    assert [(point.done, point.total) for point in points] == [(done, 9) for done in range(1, 10)]
    assert [point.repeats for point in points] == [1, 1, 1, 2, 2, 2, 3, 3, 3]
    for point in points:
        for spread in (point.prefill, point.decode):
            assert 0 < spread.fastest <= spread.low <= spread.median <= spread.high <= spread.slowest
        assert point.prefill_multiply_adds == pass_multiply_adds(model.shape, point.length)
        assert point.decode_multiply_adds == multiply_adds(model.shape, point.length + 1)


def test_lengths_go_as_far_as_the_model_does(tiny: Any) -> None:
    lengths = lengths_for(tiny("llama"))
    assert lengths == sorted(set(lengths)) and lengths[-1] == CONTEXT - 4
    assert len(lengths_for(tiny("mamba"), 5)) == 5 and lengths_for(tiny("mamba"))[-1] == 4096


def test_the_limit_is_reached_for_real(tiny: Any) -> None:
    model = tiny("llama")
    reached = at_the_limit(model, PROMPT, room=5)
    assert reached.read + reached.written == CONTEXT
    assert reached.ended == "context full"
    assert 5 <= reached.written <= 12
    assert f"at most {CONTEXT}" in reached.refused
    assert (reached.offered, reached.passed_over) == (CONTEXT + 1, 0)
    assert f"The text has {CONTEXT + 1} tokens" in reached.refused


@pytest.mark.parametrize("architecture", ["gpt2", "gemma2"])
@pytest.mark.parametrize("prompt", ["x", "Ein B\u00e4r i\u00dft \u00c4pfel \U0001f98a"])
def test_what_is_offered_is_too_long_by_as_little_as_can_be(architecture: str, prompt: str, tiny: Any) -> None:
    model = tiny(architecture)
    reached = at_the_limit(model, prompt)
    assert reached.read + reached.written == CONTEXT
    assert CONTEXT < reached.offered <= CONTEXT + 4  # a letter may need several tokens
    assert f"{reached.offered} tokens" in reached.refused


def test_an_end_that_was_passed_over_is_counted(tiny: Any) -> None:
    model = tiny("llama")
    at_first = at_the_limit(model, PROMPT, room=8)
    run = Generation(model, context._repeated(model, PROMPT, CONTEXT - 8), SamplingSettings(greedy=True))
    favourite = run.step().token_id
    ends = model.end_token_ids
    model.end_token_ids = frozenset({favourite, *ends})
    try:
        reached = at_the_limit(model, PROMPT, room=8)
    finally:
        model.end_token_ids = ends
    assert reached.passed_over >= 1
    assert reached.written == at_first.written
    assert reached.ended == "context full"


def test_a_context_that_takes_hours_is_refused(tiny: Any) -> None:
    """A model with recurrence alone has no bound: more than a million positions."""
    with pytest.raises(NotForThisModel, match="It is filled only up to 32,768"):
        at_the_limit(tiny("mamba"), PROMPT)


def test_a_request_has_the_text_and_the_cost_of_its_run(tiny: Any) -> None:
    model, settings = tiny("llama"), SamplingSettings(seed=2)
    seen = list(request(model, PROMPT, settings, 6))
    run = Generation(model, PROMPT, settings)
    steps = list(run.stream(6))
    assert seen[-1].text == "".join(step.text for step in steps)
    assert seen[-1].receipt.new_tokens == len(seen) == len(steps)
    assert seen[-1].receipt.prompt_tokens == len(model.encode(PROMPT))
