"""The CSV of a chart: real names, numbers as numbers, nothing that only places a mark."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from core import Generation, SamplingSettings
from core.inspection.inside import inspect_step
from core.record.tables import candidates_table
from pages.inside import inside_charts
from pages.ui.charts import distribution_rows, layer_charts, step_tables
from pages.ui.views import save_chart

NUMBER = re.compile(r"[−+-]?\d[\d.,]*(\s?\S{1,5})?")


@pytest.fixture(scope="module")
def run(tiny: Callable[[str], Any]) -> Generation:
    made = Generation(tiny("llama"), "The sea looked", SamplingSettings(top_k=6, seed=1))
    list(made.stream(3))
    return made


def tables(run: Generation) -> dict[str, pd.DataFrame]:
    model: Any = run.model
    seen = inspect_step(model, run.token_ids)
    return {
        "bars": distribution_rows.distribution_rows(run.path[-1]).to_pandas(),
        "steps": step_tables.step_slots(run.path).to_pandas(),
        "notepad": step_tables.notepad_rows(run.path).to_pandas(),
        "lens": layer_charts.logit_lens_rows(seen, run.path[-1].token_id),
        "vector": inside_charts.vector_rows(np.linspace(-1, 1, 30)),
    }


def test_a_file_has_no_columns_of_layout_and_no_numbers_as_text(run: Generation) -> None:
    for name, table in tables(run).items():
        saved = save_chart.saved(table)
        assert len(saved) and not (save_chart.LAYOUT - {"label"}) & set(saved.columns), name
        for column in saved.columns:
            if column != "token" and not pd.api.types.is_numeric_dtype(saved[column]):
                texts = [cell for cell in saved[column] if isinstance(cell, str)]
                assert not any(NUMBER.fullmatch(text) or "\u2212" in text for text in texts), (name, column, texts[:3])


def test_the_bars_have_the_numbers_of_the_step(run: Generation) -> None:
    step = run.path[-1]
    saved = save_chart.saved(distribution_rows.distribution_rows(step).to_pandas()).set_index("token_id")
    for candidate in step.candidates[:5]:
        row = saved.loc[candidate.key]
        assert row.logit == pytest.approx(candidate.logit) and row["rank"] == candidate.rank
        assert (row.model_probability, row.probability_after_settings) == pytest.approx(
            (candidate.model_probability, candidate.sampling_probability)
        )


def test_empty_places_are_no_rows(run: Generation) -> None:
    assert len(save_chart.saved(step_tables.step_slots(run.path).to_pandas())) == 3
    notepad = save_chart.saved(step_tables.notepad_rows(run.path).to_pandas())
    assert notepad[["step", "reused", "computed"]].to_numpy().tolist() == [
        [step.index + 1, step.forward.reused_tokens, step.forward.computed_tokens] for step in run.path
    ]


def test_all_listed_tokens_of_every_step_are_in_one_table(run: Generation) -> None:
    table = candidates_table(run.path)
    assert len(table) == sum(len(step.candidates) for step in run.path)
    assert table[table.chosen].token_id.tolist() == [step.token_id for step in run.path]
    assert set(table.excluded_by) == {"", "top-k"}
