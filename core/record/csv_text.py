"""A table as CSV that a spreadsheet opens as it is, and computes nothing of."""

from __future__ import annotations

import csv

import pandas as pd

FORMULA = ("=", "+", "-", "@", "\t", "\r")  # what a spreadsheet would compute


def csv_text(table: pd.DataFrame) -> str:
    """Return a table as CSV (RFC 4180) that spreadsheets open as it is.

    It begins with a byte order mark, so that they read it as UTF-8. A text that begins with = + - @ or a tab gets an apostrophe, so that
    they do not compute it.
    """
    safe = table.copy()
    for name in safe.columns:
        if not pd.api.types.is_numeric_dtype(safe[name]):
            safe[name] = [f"'{cell}" if isinstance(cell, str) and cell.startswith(FORMULA) else cell for cell in safe[name]]
    return "\ufeff" + safe.to_csv(index=False, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\r\n")
