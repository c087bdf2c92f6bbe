"""Blind ratings: the sheet names no model, and every verdict finds its way back."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from core.bundled.recipe.ratings import count, join, write_sheet
from core.bundled.recipe.settings_grid import repeats, variety


@pytest.fixture
def sheet(tmp_path: Path) -> Path:
    for model in ("old", "new"):
        (tmp_path / model).mkdir()
        written = {"Balanced": [f"{model[0]} one", f"{model[0]} two"], "temperature 1": [f"{model[0]} three", f"{model[0]} four"]}
        (tmp_path / model / "continuations.json").write_text(json.dumps(written))
    write_sheet({"old": tmp_path / "old", "new": tmp_path / "new"}, tmp_path / "sheet", seeds=2)
    return tmp_path / "sheet"


def test_every_verdict_is_counted_for_the_model_that_wrote_the_text(sheet: Path, tmp_path: Path) -> None:
    shown = (sheet / "sheet.txt").read_text()
    assert "old" not in shown and "new" not in shown
    texts = dict(re.findall(r"=== (\d+) ===\n(.*)", shown))
    assert len(texts) == 8
    rated = tmp_path / "rated.txt"
    rated.write_text("\n".join(f"{number} {'coherent' if text.startswith('n') else 'garbled'}" for number, text in texts.items()))
    rows = join(sheet / "key.csv", rated)
    assert {(row["model"], row["verdict"]) for row in rows} == {("new", "coherent"), ("old", "garbled")}
    assert count(rows)["new", "Balanced"] == {"coherent": 2}


@pytest.mark.parametrize("rated", ["", "0", "0 fine", "0 coherent", "x y\n" * 1000])
def test_a_missing_or_unknown_verdict_is_named(sheet: Path, tmp_path: Path, rated: str) -> None:
    (tmp_path / "rated.txt").write_text(rated)
    with pytest.raises(ValueError, match=r"Text \d is rated .*; a verdict is one of coherent"):
        join(sheet / "key.csv", tmp_path / "rated.txt")


def test_variety_and_repeats_of_texts() -> None:
    assert variety([]) == 0 and variety(["a b c", "A b, c"]) == 0.5
    assert repeats(["He ran to it. He sat. He ran to it.", "He ran to it. He sat down."]) == 0.5
