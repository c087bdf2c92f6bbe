"""The growth record that training writes can be read. A broken file is refused in one sentence."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.bundled.recipe.growth import append
from core.errors import BadRecording
from core.models.growth_record import LARGEST, growth_of, read_growth


def moment(step: int = 0, **other: Any) -> dict[str, Any]:
    return {
        "step": step,
        "tokens": step * 10,
        "loss": None if step == 0 else 2.5,
        "prompts": [{"prompt": "The sun", "top": [[7, 0.5], [9, 0.25]]}],
        "sample": "The sun rises.",
    } | other


def record(*moments: Any, **other: Any) -> dict[str, Any]:
    return {"format": 1, "top": 2, "moments": list(moments) or [moment()]} | other


def written(path: Path, content: Any) -> Path:
    path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return path


def test_what_training_appends_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "growth.json"
    for step in (0, 30, 10):  # a run that was set back writes its later moments again
        append(path, moment(step))
    read = read_growth(path)
    assert [one.step for one in read.moments] == [0, 10]
    assert read.prompts == ["The sun"]
    assert read.moments[1].prompts[0].top == [(7, 0.5), (9, 0.25)]


@pytest.mark.parametrize("name", ["storyteller-mini", "nobody", "../storyteller", "", "gpt2", "http://127.0.0.1:9"])
def test_other_models_have_none(name: str) -> None:
    assert growth_of(name) is None


@pytest.mark.parametrize(
    "content",
    [
        "",
        "no json",
        "[]",
        "[" * 100_000,
        record(format=2),
        record(moments=[]),
        record(surprise=1),
        record(moment(prompts=[])),
        record(moment(prompts=[{"prompt": "The sun", "top": []}])),
        record(moment(prompts=[{"prompt": "The sun", "top": [[7, 1.5]]}])),
        record(moment(prompts=[{"prompt": "The sun", "top": [[-1, 0.5]]}])),
        record(moment(prompts=[{"prompt": "The sun", "top": [[7, float("nan")]]}])),
        record(moment(loss=float("inf"))),
        record(moment(held_out_loss=-1.0)),
        record(moment(held_out_loss="low")),
        record(moment(sample="x" * 3_000)),
        record(*[moment(step) for step in range(101)]),
        record(moment(), moment(1, prompts=[{"prompt": "The moon", "top": [[7, 0.5]]}])),
    ],
)
def test_anything_else_is_refused_in_one_sentence(content: Any, tmp_path: Path) -> None:
    with pytest.raises(BadRecording) as refused:
        read_growth(written(tmp_path / "growth.json", content))
    assert str(refused.value).startswith("This growth record ")
    assert str(refused.value).count(".") == 1


def test_a_file_that_is_not_there_or_huge_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRecording):
        read_growth(tmp_path / "nothing.json")
    with pytest.raises(BadRecording, match="too large"):
        read_growth(written(tmp_path / "huge.json", " " * (LARGEST + 1)))
