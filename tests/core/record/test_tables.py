"""Tables hold the numbers of the record, and every set of rows adds up."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import pandas as pd
import pytest

from core import Generation, SamplingSettings, Step
from core.record import tables
from core.record.tables import csv_text

PROMPT = "The sea looked back 🦊"
SETTINGS = [
    SamplingSettings(seed=1),
    SamplingSettings(seed=2, temperature=0.6, top_k=12),
    SamplingSettings(seed=3, top_p=0.7, repetition_penalty=1.5),
    SamplingSettings(seed=4, typical_p=0.5),
    SamplingSettings(greedy=True),
]


@pytest.fixture(scope="module", params=SETTINGS, ids=str)
def run(request: pytest.FixtureRequest, tiny: Any) -> Generation:
    run = Generation(tiny("gpt2"), PROMPT, request.param, top_n=8)
    for _ in range(5):
        run.step()
    run.force(run.next_distribution().candidates[-1].token_id)
    return run


def test_candidates_are_rows_in_rank_order_and_add_up_to_one(run: Generation) -> None:
    for step in run.path:
        table = tables.candidates_table(step)
        assert list(table.columns) == [
            "rank",
            "token_id",
            "piece",
            "text",
            "logit",
            "model_probability",
            "sampling_probability",
            "removed_by",
            "chosen",
        ]
        assert table.model_probability.sum() == pytest.approx(1, abs=1e-6)
        assert table.sampling_probability.sum() == pytest.approx(1, abs=1e-6)
        assert table["rank"].is_monotonic_increasing
        rest = table.iloc[-1]
        assert (rest.token_id, rest.piece, rest.chosen) == (-1, "everything else", False)
        assert rest.model_probability == step.rest_model_probability
        assert table[table.chosen].token_id.tolist() == [step.token_id]
        assert table.token_id.is_unique
        assert set(table.removed_by) <= {"", *(stage.name for stage in step.stages)}
        assert (table.sampling_probability[table.removed_by != ""] == 0).all()


def test_the_strip_of_the_dice_has_no_gaps_and_the_roll_lands_on_the_chosen(run: Generation) -> None:
    for step in run.path:
        table = tables.dice_table(step)
        assert list(table.columns) == ["token_id", "piece", "start", "end", "probability", "chosen"]
        assert table.start.iloc[0] == 0
        assert table.end.iloc[-1] == pytest.approx(1, abs=1e-6)
        assert table.start.tolist()[1:] == pytest.approx(table.end.tolist()[:-1], abs=1e-5)
        assert (table.end - table.start).tolist() == pytest.approx(table.probability.tolist(), abs=1e-5)
        listed = table[table.token_id >= 0].probability
        assert listed.is_monotonic_decreasing
        if step.roll is not None:
            landed = table[(table.start <= step.roll) & (step.roll < table.end)]
            assert landed.token_id.tolist() == [step.token_id]
            assert landed.chosen.all()


def test_stages_have_a_row_for_every_listed_token_and_the_rest(run: Generation) -> None:
    for step in run.path:
        table = tables.stages_table(step)
        assert list(table.columns) == ["stage", "setting", "kept", "entropy", "token_id", "piece", "probability"]
        assert list(dict.fromkeys(table.stage)) == [stage.name for stage in step.stages]
        for stage in step.stages:
            rows = table[table.stage == stage.name]
            assert rows.probability.sum() == pytest.approx(1, abs=1e-6)
            assert len(rows) == len(step.candidates) + 1
            assert set(rows.kept) == {stage.kept}


def test_steps_are_rows_in_order(run: Generation) -> None:
    table = tables.steps_table(run.path)
    assert table["index"].tolist() == list(range(len(run.path)))
    assert table.position.tolist() == [len(run.prompt_tokens) + i for i in range(len(run.path))]
    assert (table.computed_tokens + table.reused_tokens == table.position).all()
    assert "".join(table.text) == run.written
    for row, step in zip(table.itertuples(), run.path, strict=True):
        assert isinstance(step, Step)
        assert row.surprise == pytest.approx(-math.log2(step.model_probability))
        assert row.chosen_by == step.chosen_by
        assert row.cache_bytes == step.forward.cache_bytes
        assert row.held_bytes == step.forward.held_bytes
        assert row.seconds == step.forward.seconds
        assert math.isnan(row.roll) if step.roll is None else row.roll == step.roll
    back = pd.read_csv(io.StringIO(table.to_csv(index=False)), keep_default_na=False)
    assert back.token_id.tolist() == table.token_id.tolist()


def test_csv_is_read_back_and_computes_nothing_in_a_spreadsheet() -> None:
    table = pd.DataFrame(
        {"text": ["=1+1", "+a", "-b", "@c", 'a "quoted", text\nof two lines', "fox"], "value": [-1.5, 2.0, 3.0, 4.0, 5.0, 1e-300]}
    )
    written = csv_text(table)
    assert written.startswith("\ufeff") and "\r\n" in written
    rows = list(csv.reader(io.StringIO(written.removeprefix("\ufeff"), newline="")))
    assert [row[0] for row in rows[1:]] == ["'=1+1", "'+a", "'-b", "'@c", 'a "quoted", text\nof two lines', "fox"]
    assert [float(row[1]) for row in rows[1:]] == list(table["value"])
