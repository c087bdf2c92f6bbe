"""Tables hold the numbers of the record, and every set of rows adds up."""

from __future__ import annotations

import csv
import io
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core import Generation, SamplingSettings, Step
from core.record import step_rows, tables
from core.record.csv_text import csv_text

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


def test_the_strip_of_the_dice_has_no_gaps_and_the_roll_lands_on_the_chosen(run: Generation) -> None:
    for step in run.path:
        ids, _pieces, starts, ends, probabilities, chosen = zip(*step_rows.dice_segments(step), strict=True)
        assert starts[0] == 0 and ends[-1] == pytest.approx(1, abs=1e-6)
        assert starts[1:] == pytest.approx(ends[:-1], abs=1e-5)
        assert np.subtract(ends, starts) == pytest.approx(probabilities, abs=1e-5)
        listed = [share for token_id, share in zip(ids, probabilities, strict=True) if token_id >= 0]
        assert listed == sorted(listed, reverse=True)
        if step.roll is not None:
            landed = [place for place in range(len(ids)) if starts[place] <= step.roll < ends[place]]
            assert [ids[place] for place in landed] == [step.token_id] and chosen[landed[0]]


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
