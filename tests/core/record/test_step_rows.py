"""The rows that every drawing of a step shows: whatever is listed, folded or skipped, they add up to the whole distribution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

import numpy as np
import pytest

from core import Generation, SamplingSettings
from core.record.step_rows import FEWEST, REST, WORTH_A_ROW, StepRow, Unlikely, step_rows
from core.tokens.token_text import Token

SETTINGS = (SamplingSettings(seed=1), SamplingSettings(seed=1, top_k=3), SamplingSettings(seed=1, temperature=0.3, top_p=0.8))


@pytest.fixture
def run(tiny: Callable[[str], Any]) -> Generation:
    made = Generation(tiny("llama"), "The sea looked", SamplingSettings(seed=1, top_k=6), top_n=50)
    list(made.stream(4))
    return made


@pytest.mark.parametrize("unlikely", get_args(Unlikely))
@pytest.mark.parametrize("count", [2, 6, 50])
@pytest.mark.parametrize("settings", SETTINGS)
def test_the_rows_add_up_whatever_is_left_out(run: Generation, settings: SamplingSettings, count: int, unlikely: Unlikely) -> None:
    for seen in (*run.path, run.next_distribution(settings)):
        rows = step_rows(seen, count, unlikely)
        assert len(rows.listed) <= count and rows.all[-1].key == REST
        assert sum(row.model for row in rows.all) == pytest.approx(1.0, abs=1e-6)
        assert sum(row.final for row in rows.all) == pytest.approx(1.0, abs=1e-6)
        assert len({row.key for row in rows.all}) == len(rows.all)


def test_the_chosen_token_has_a_row_and_its_segment_holds_the_roll(run: Generation) -> None:
    for step in run.path:
        (chosen,) = [row for row in step_rows(step, 2, "skipped").all if row.chosen]
        assert (chosen.key, chosen.model, chosen.final) == (step.key, step.model_probability, step.sampling_probability)
        assert chosen.segment and step.roll is not None and chosen.segment[0] <= step.roll <= chosen.segment[1]


def test_skipped_candidates_give_their_rows_away_and_folded_ones_do_not(run: Generation) -> None:
    seen = run.next_distribution(SamplingSettings(temperature=0.3, top_k=2))

    def is_worth_a_row(row: StepRow) -> bool:
        return not row.excluded_by or row.model >= WORTH_A_ROW

    shown, folded, skipped = (step_rows(seen, 20, unlikely) for unlikely in get_args(Unlikely))
    assert all(map(is_worth_a_row, skipped.listed)) and skipped.rest.excluded
    assert folded.listed == shown.listed[: len(folded.listed)] and len(folded.listed) + folded.folded == len(shown.listed)
    assert all(map(is_worth_a_row, folded.listed[FEWEST:]))
    assert {row.excluded_by for row in shown.listed[2:]} == {("top-k",)}


def test_greedy_names_the_stages_that_moved_its_choice(run: Generation) -> None:
    likeliest = run.next_distribution().candidates[0]
    moved = SamplingSettings(greedy=True, logit_bias=((likeliest.token_id, -20.0),))
    first = step_rows(run.next_distribution(moved), 3).listed[0]
    assert first.key == likeliest.key and first.excluded_by == ("logit bias", "greedy")


def test_probabilities_that_were_not_measured_have_no_length(run: Generation) -> None:
    step = run.path[0]
    unmeasured = replace(step, probabilities=np.full_like(step.probabilities, np.nan))
    for row in step_rows(unmeasured, 3).all:
        assert np.isnan(row.model) and row.lengths == (0.0, 0.0) and not row.excluded and row.segment is None


def test_only_tokens_with_a_row_are_looked_up(run: Generation) -> None:
    """A press draws eight rows of fifty candidates."""
    step, looked_up = run.step(), list[int]()

    class Counting:
        def token(self, token_id: int) -> Token:
            looked_up.append(token_id)
            return step.vocabulary.token(token_id)

    drawn = step_rows(replace(step, vocabulary=Counting()), 3)
    assert looked_up == [row.key for row in drawn.listed]
    assert len(step.token_ids) > len(looked_up)
