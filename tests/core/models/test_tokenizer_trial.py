"""A tokenizer from outside is tried in its own process: if it does not end or grows too large, it is refused in one sentence."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.errors import ModelError
from core.models import tokenizer_trial


@pytest.fixture
def folder(tiny_folder: Callable[[str], Path], tmp_path: Path) -> Path:
    made = tmp_path / "theirs"
    shutil.copytree(tiny_folder("gpt2"), made)
    return made


def change(folder: Path, **parts: Any) -> None:
    path = folder / "tokenizer.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | parts))


def test_a_sound_tokenizer_passes_and_is_tried_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tokenizer_trial.try_tokenizer(folder, "theirs")
    monkeypatch.setattr(tokenizer_trial.subprocess, "run", lambda *_, **__: pytest.fail("tried again"))
    tokenizer_trial.try_tokenizer(folder, "theirs")


def test_an_expression_that_takes_for_ever_is_ended(folder: Path) -> None:
    slow = {"type": "Split", "pattern": {"Regex": "(?:(x+x+)+y)\\1"}, "behavior": "Isolated", "invert": False}
    change(folder, pre_tokenizer=slow)
    with pytest.raises(ModelError, match=r"did not finish|stops with"):
        tokenizer_trial.try_tokenizer(folder, "theirs", seconds=2.0)
    with pytest.raises(ModelError, match="did not finish"):
        tokenizer_trial.try_tokenizer(folder, "theirs", seconds=0.01)


def test_a_text_that_explodes_is_refused(folder: Path) -> None:
    change(folder, normalizer={"type": "Replace", "pattern": {"String": "a"}, "content": "b" * 200})
    with pytest.raises(ModelError, match="thousands of tokens"):
        tokenizer_trial.try_tokenizer(folder, "theirs")


def test_what_is_no_tokenizer_is_left_to_who_reads_it(folder: Path) -> None:
    (folder / "tokenizer.json").write_text("{}")
    tokenizer_trial.try_tokenizer(folder, "theirs")
