"""The rows of the bars and of the small charts are those of the record."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from core import Generation, SamplingSettings, load_model
from core.record.step_rows import WORTH_A_ROW
from pages.stage import stage_payload
from pages.ui.charts import distribution_rows, step_tables
from pages.ui.i18n import numbers


@pytest.fixture(scope="module")
def run(tiny: Callable[[str], Any]) -> Generation:
    made = Generation(tiny("llama"), "The sea looked", SamplingSettings(top_k=6, seed=1), top_n=50)
    list(made.stream(5))
    return made


@pytest.mark.parametrize("count", [5, 10, 50])
def test_the_bars_add_up_whatever_their_number(run: Generation, count: int) -> None:
    for step in run.path:
        table = distribution_rows.distribution_rows(step, count, folded=False).to_pandas()
        assert len(table) == count + 1
        assert table.model.sum() == pytest.approx(1.0, abs=1e-5)
        assert table.dice.sum() == pytest.approx(1.0, abs=1e-5)
        assert (table.kind == "chosen").sum() == 1
        assert table.label.iloc[-1] == "everything else"


def test_removed_tokens_stay_and_name_the_stage(run: Generation) -> None:
    table = distribution_rows.distribution_rows(run.next_distribution(SamplingSettings(top_k=3)), 10, folded=False).to_pandas()
    removed = table[table.kind == "removed"]
    assert len(removed) == 7
    assert set(removed.note) == {"excluded by top-k"}
    assert (removed.dice == 0).all()
    assert (removed.model > 0).all()


@pytest.mark.parametrize("folded", [True, False])
def test_the_numbers_of_one_list_are_of_one_kind_and_add_up(run: Generation, folded: bool) -> None:
    """Excluded rows used to show the model's own probability: at temperature 0.2 a list added up to 167 %."""
    cold = run.next_distribution(SamplingSettings(temperature=0.2, top_k=3))
    table = distribution_rows.distribution_rows(cold, 10, folded=folded).to_pandas()
    assert set(table.number[table.kind == "removed"]) == {numbers.chance(0.0)}
    assert [numbers.chance(share) for share in table.dice[table.label != ""]] == [*table.number[table.label != ""]]
    sent = stage_payload.step_payload(cold, run)
    assert all(row[4] == numbers.percent(row[3]) for row in [*sent["rows"], sent["rest"]])


def test_what_is_cut_and_unlikely_lies_in_one_line_that_can_be_opened() -> None:
    run = Generation(load_model("storyteller-mini"), "Once upon a", top_n=50)
    seen = run.next_distribution(SamplingSettings(temperature=0.3, top_k=2))
    dust = [c for c in seen.candidates[:10] if c.removed_by and c.model_probability < WORTH_A_ROW]
    dust = [c for c in dust if c.rank > distribution_rows.FEWEST]  # the likeliest keep their rows, so that a sure model has runners-up
    assert len(dust) > 1, "the example must have something to fold"
    table = distribution_rows.distribution_rows(seen, 10).to_pandas()
    assert len(table) == 11
    assert table.model.sum() == pytest.approx(1.0, abs=1e-5)
    line = table[table.token_id == distribution_rows.FOLDED]
    assert len(line) == 1
    shown = table[table.token_id >= 0]
    assert len(shown) == distribution_rows.FEWEST
    assert not {c.token_id for c in dust} & set(shown.token_id)
    assert line.model.iloc[0] == pytest.approx(1 - shown.model.sum(), abs=1e-6)
    assert "tokens, excluded" in line.piece.iloc[0]
    assert int(line.piece.iloc[0].split()[0].replace(",", "")) == run.model.vocabulary_size - len(shown)
    opened = distribution_rows.distribution_rows(seen, 10, folded=False).to_pandas()
    assert {c.token_id for c in dust} <= set(opened.token_id)
    assert not (opened.token_id == distribution_rows.FOLDED).any()
    run.settings = SamplingSettings(top_k=2)
    taken = distribution_rows.distribution_rows(run.force(dust[0].token_id), 10).to_pandas()
    assert (taken.token_id == dust[0].token_id).sum() == 1, "what was taken from among the cut keeps its row"


def test_a_first_token_chosen_by_hand_after_going_back_is_no_prefill(tiny: Callable[[str], Any]) -> None:
    run = Generation(tiny("llama"), "The sea looked", SamplingSettings(seed=1))
    run.step()
    run.step()
    run.go_to(-1)
    again = run.force(run.next_distribution().candidates[-1].token_id)
    assert (again.index, again.forward.computed_tokens) == (0, 1)
    assert set(step_tables.notepad_rows([again])["label"].to_pylist()) == {""}
