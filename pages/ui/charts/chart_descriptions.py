"""Descriptions of charts for screen readers: their numbers in words."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa

from pages.ui.i18n.translation import _

MOST = 12  # described rows: the first, or the newest of a chart that grows with the steps
NEWEST_LAST = ("slot", "index", "step")  # columns of charts that grow with the steps


def numbers_of(table: pd.DataFrame | pa.Table) -> str:
    """Return the numbers of a chart in one line, as the chart and its cards show them.

    >>> numbers_of(pd.DataFrame({"label": ["fox", "cat"], "number": ["12 %", "3 %"]}))
    'fox 12 %; cat 3 %.'
    """
    names = list(table.column_names if isinstance(table, pa.Table) else table.columns)
    columns = _described(names)
    count = table.num_rows if isinstance(table, pa.Table) else len(table)
    if not columns or not count:
        return ""
    if any(name in names for name in NEWEST_LAST) and "row" not in names:
        texts = list(filter(None, map(_row, _rows(table, columns, count))))[-MOST:]  # empty places are reserved for later steps
    else:
        texts = list(filter(None, map(_row, _rows(table, columns, MOST))))
    texts = list(dict.fromkeys(texts))
    return "; ".join(texts) + "." if texts else ""


def _rows(table: pd.DataFrame | pa.Table, columns: list[str], most: int) -> list[dict[str, Any]]:
    """Return the first rows of these columns."""
    if isinstance(table, pa.Table):
        return list(table.select(columns).slice(0, most).to_pylist())
    return list(table[columns].iloc[:most].to_dict("records"))


def _described(names: list[str]) -> list[str]:
    """Return the columns with text for people: those of a card, else label and number."""
    if "tip" in names:
        return ["tip"]
    if "number" in names:
        return [name for name in ("label", "number", "note") if name in names]
    return [name for name in ("part", "token", "label") if name in names][:1] + [name for name in names if name.endswith("_text")]


def _row(row: dict[str, Any]) -> str:
    """Return the texts of a row in one line; "" if it holds no more than its kind."""
    words, is_filled = [], False
    for column, value in row.items():
        if isinstance(value, str) and value.strip() not in ("", "–"):
            words += (_(value) if column == "part" else value).split()
            is_filled = is_filled or column != "part"
    return " ".join(words) if is_filled else ""
