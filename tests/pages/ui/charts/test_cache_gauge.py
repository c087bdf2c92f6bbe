"""The gauge of the notepad: what the tokens take and what the arrays hold are two numbers, and only the second one is called measured."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from core import Generation, load_model
from core.generation.recorded_run import Recording
from pages.ui.charts.cache_gauge import reading
from pages.ui.i18n import numbers


@pytest.fixture(scope="module")
def run() -> Generation:
    made = Generation(load_model("storyteller"), "Once upon a time, there was a little")
    list(made.stream(6))
    return made


def test_the_measured_bytes_are_those_of_the_arrays_and_the_others_those_of_the_tokens(run: Generation) -> None:
    state: Any = run.cache.state
    step = run.path[-1]
    held, used = state.keys.nbytes + state.values.nbytes, step.position * run.model.cache_bytes_per_token
    said = reading(step, run.model)
    computed, measured, _ = said.details
    assert computed.startswith("In use, computed") and f"= {used:,} bytes" in computed
    assert measured.startswith("Held, measured") and f"{held:,} bytes" in measured
    assert said.used == numbers.size(used)
    assert f"{numbers.size(held)} held" in said.filled
    assert used < held <= 2 * used


def test_what_a_server_holds_is_called_assumed_and_never_measured(run: Generation) -> None:
    step = run.path[-1]
    there = replace(step, top_logprobs_count=20, forward=replace(step.forward, held_bytes=None))
    said = reading(there, run.model)
    assert "assumed" in said.filled
    assert said.details[0].startswith("Assumed:")
    assert "easured" not in " ".join(said.details)


def test_a_recording_of_before_opens_and_says_nothing_about_arrays(run: Generation) -> None:
    kept = Recording.of(run)
    assert [step.forward.held_bytes for step in Recording.loads(kept.dumps()).path] == [step.forward.held_bytes for step in run.path]
    file = json.loads(kept.dumps())
    for step in file["steps"]:
        del step["held_bytes"]
    before = Recording.loads(json.dumps(file))
    assert [step.forward.held_bytes for step in before.path] == [None] * 6
    assert len(reading(before.path[-1], before.model).details) == 2
