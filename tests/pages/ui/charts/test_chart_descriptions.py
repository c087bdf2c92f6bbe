"""What is said of a chart holds its numbers, as they are written in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from core import Generation, SamplingSettings
from pages.ui.charts import step_tables
from pages.ui.charts.run_charts import MOST, numbers_of


def test_bars_are_said_with_their_numbers() -> None:
    table = pd.DataFrame({"row": [0, 1], "label": ["fox", "cat"], "number": ["12 %", "3 %"], "value": [0.12, 0.03]})
    assert numbers_of(table) == "fox 12 %; cat 3 %."
    assert numbers_of(pa.Table.from_pandas(table)) == "fox 12 %; cat 3 %."


def test_places_that_are_kept_ready_say_nothing_and_hide_nothing() -> None:
    """The small charts of Watch have two dozen places from the first step on; what was said were the last twelve of them."""
    texts = ["5 ms", "6 ms", *[""] * 22]
    table = {"slot": list(range(24)), "part": ["computed", *["reused"] * 23], "time_text": texts, "size_text": ["–", "–", *[""] * 22]}
    assert numbers_of(pd.DataFrame(table)) == "computed 5 ms; reused 6 ms." == numbers_of(pa.table(table))
    assert numbers_of(pd.DataFrame(table | {"time_text": [""] * 24})) == ""


@pytest.mark.parametrize("steps", [1, 3, 14, 40])
def test_the_newest_steps_are_said_however_few_there_are(tiny: Callable[[str], Any], steps: int) -> None:
    run = Generation(tiny("llama"), "The sea looked", SamplingSettings(seed=1))
    while len(run.path) < steps:
        run.step()
    said = numbers_of(step_tables.step_slots(run.path)).split("; ")
    assert len(said) == min(steps, MOST) and f" {steps} " in said[-1]
    assert f" {steps} " in numbers_of(step_tables.notepad_rows(run.path)).split("; ")[-1]
