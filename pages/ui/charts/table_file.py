"""The table of a chart as it is saved: real names, numbers as numbers, and no columns that only place a mark."""

from __future__ import annotations

import pandas as pd

NAMES = {
    "model": "model_probability",
    "dice": "probability_after_settings",
    "share": "probability",
    "piece": "token",
    "removed_by": "excluded_by",
    "up": "surprise_of_the_first",
    "down": "surprise_of_the_second",
    "top": "tokens",
}
LAYOUT = frozenset(
    "row slot serial space number note zero bottom depth foot shown tip end picked order stretch over cut fit wait_label left_label "
    "right_label label doubt log place_text arithmetic together".split()
)  # where a mark stands, how it looks, and texts that repeat a number
TOKENS = ("piece", "token", "text", "words", "answer")  # columns beside which a label, which may be cut, says nothing new
NEGATIVE = str.maketrans("\u2212", "-")


def saved(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table of a chart for a file.

    Columns for layout are dropped, with every text that repeats a number. Empty places for later steps are dropped too.

    >>> saved(pd.DataFrame({"row": [0], "piece": ["␣fox"], "label": ["fox"], "model": [0.25], "model_text": ["25 %"]})).to_dict("records")
    [{'token': '␣fox', 'model_probability': 0.25}]
    """
    names = list(table.columns)
    if "bottom" in names and "computed" in names:  # two bars for each step, with the same counts
        table = table[table["part"] == "computed"].drop(columns=["part", "top"])
    for name in ("step_text", "piece"):
        if name in names:
            table = table[table[name].notna() & (table[name] != "")]
    if "layer" in names and "name" in names:  # the number of the layer as a text
        table = table.drop(columns="name")
    kept = [name for name in table.columns if not name.endswith("_text") and (name not in LAYOUT or _only_label(name, names))]
    renamed = table[kept].convert_dtypes().rename(columns={name: NAMES[name] for name in kept if name in NAMES and NAMES[name] not in kept})
    texts = [name for name in renamed.columns if not pd.api.types.is_numeric_dtype(renamed[name])]
    return renamed.assign(
        **{name: renamed[name].map(lambda cell: cell.translate(NEGATIVE) if isinstance(cell, str) else cell) for name in texts}
    )


def _only_label(name: str, names: list[str]) -> bool:
    """Return whether this is the label of the rows and no other column names them."""
    return name == "label" and not any(token in names for token in TOKENS)
