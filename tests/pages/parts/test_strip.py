"""The sentence: only what is new is worked out, and what is shown is the same as if all were."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core import Generation, SamplingSettings
from core.step import Step
from pages.parts import strip


@pytest.fixture
def run(tiny: Callable[[str], Any]) -> Generation:
    made = Generation(tiny("llama"), "The sea looked", SamplingSettings(seed=1), top_n=20)
    for _ in range(6):
        made.step()
    return made


def test_a_growing_text_works_out_its_new_token_only(run: Generation, monkeypatch: pytest.MonkeyPatch) -> None:
    worked_out: list[int] = []
    whole = strip._step

    def counted(step: Step, tint: str) -> tuple[Any, ...]:
        worked_out.append(step.index)
        return whole(step, tint)

    monkeypatch.setattr(strip, "_step", counted)
    drawn = strip._Drawn()
    drawn.steps(run.path[:4], "likely")
    worked_out.clear()
    drawn.steps(run.path, "likely")
    assert worked_out == [4, 5]


def test_going_back_another_branch_and_another_tint_show_what_is_there(run: Generation) -> None:
    drawn, first = strip._Drawn(), run.path
    run.go_to(2)
    run.force(run.coming().candidates[3].token_id)
    run.step()
    for path, tint in ((first, "likely"), (first[:2], "likely"), (run.path, "likely"), (run.path, "unsure"), ([], "none"), (first, "none")):
        assert drawn.steps(path, tint) == [strip._step(step, tint) for step in path]
