"""What is said of a chart holds its numbers, as they are written in it."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa

from pages.parts.charts.spoken import MOST, numbers_of


def test_bars_are_said_with_their_numbers() -> None:
    table = pd.DataFrame({"row": [0, 1], "label": ["fox", "cat"], "number": ["12 %", "3 %"], "value": [0.12, 0.03]})
    assert numbers_of(table) == "fox 12 %; cat 3 %."
    assert numbers_of(pa.Table.from_pandas(table)) == "fox 12 %; cat 3 %."


def test_of_a_chart_that_grows_the_newest_are_said() -> None:
    table = pa.table({"slot": range(40), "token": [f"t{n}" for n in range(40)], "time_text": [f"{n} ms" for n in range(40)]})
    said = numbers_of(table)
    assert said.startswith("t28 28 ms") and said.endswith("t39 39 ms.") and said.count(";") == MOST - 1


def test_cards_come_first_and_nothing_is_said_of_nothing() -> None:
    assert numbers_of(pd.DataFrame({"tip": ["a: 1 %", "a: 1 %", "b: 2 %"], "label": ["x", "y", "z"]})) == "a: 1 %; b: 2 %."
    assert numbers_of(pd.DataFrame({"value": [1.0]})) == ""
    assert numbers_of(pd.DataFrame(columns=["label", "number"])) == ""
