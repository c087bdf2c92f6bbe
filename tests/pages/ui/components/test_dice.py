"""The dice strip: what is painted as taken is the token that was taken, where the record says it lies, and nothing else."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

from core import Generation, SamplingSettings, load_model
from core.record.step import Step, TokenDistribution
from core.record.step_rows import MOST_SINGLE, DiceSegment, bundled_segments
from core.sampling.presets import PRESETS
from pages.ui.session.run_start import CANDIDATES_RECORDED

PROMPTS = ("Once upon a time, there was a little", "The football match", "Dear diary,", "I am not sure about")
STEPS, LONGEST = 300, 90  # in all, of one text
STROKE = 1e-6  # of the strip; the rounding of float32


def segments(seen: TokenDistribution) -> list[DiceSegment]:
    return bundled_segments(seen, "many")


@pytest.fixture(scope="module", params=["Balanced", "Wild"])
def steps(request: pytest.FixtureRequest) -> list[Step]:
    model, seed = load_model("storyteller-mini"), 0
    made: list[Step] = []
    while len(made) < STEPS:
        run = Generation(model, PROMPTS[seed % len(PROMPTS)], replace(PRESETS[request.param], seed=seed), top_n=CANDIDATES_RECORDED)
        while len(run.path) < LONGEST and not run.finished:
            run.step()
        made, seed = made + run.path, seed + 1
    return made


def test_the_segment_that_is_painted_as_taken_lies_where_the_record_says(steps: list[Step]) -> None:
    far = 0
    for step in steps:
        taken = [segment for segment in segments(step) if segment.chosen]
        assert [segment.key for segment in taken] == [step.key]
        assert taken[0].start == pytest.approx(step.chosen.dice_start, abs=STROKE)
        assert taken[0].end - taken[0].start == pytest.approx(step.sampling_probability, abs=STROKE)
        assert step.roll is not None
        assert taken[0].start - STROKE <= step.roll <= taken[0].end + STROKE
        far += sum(c.dice_start is not None and c.dice_start < taken[0].start for c in step.candidates) >= MOST_SINGLE
    assert far, "no token was taken from the tail, so this proves nothing about it"


def test_the_segments_fill_the_strip_and_stay_few(steps: list[Step]) -> None:
    for step in steps:
        drawn = segments(step)
        assert drawn[0].start == 0
        assert drawn[-1].end == pytest.approx(1, abs=2e-6)
        assert all(one.end == pytest.approx(other.start, abs=2e-6) for one, other in pairwise(drawn))
        assert sum(segment.key >= 0 for segment in drawn) <= MOST_SINGLE + 1


def test_nothing_is_taken_before_the_roll_or_by_hand_from_among_the_removed(tiny: Any) -> None:
    run = Generation(tiny("llama"), "The sea looked", SamplingSettings(top_k=2), top_n=CANDIDATES_RECORDED)
    assert not any(segment.chosen for segment in segments(run.next_distribution()))
    removed = next(c for c in run.next_distribution().candidates if c.removed_by)
    assert not any(segment.chosen for segment in segments(run.force(removed.key)))
