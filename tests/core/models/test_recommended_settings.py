"""A model's own sampling settings are read from its folder or its GGUF file; other content of generation_config.json is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core import SamplingSettings, load_model
from core.models.recommended_settings import recommended
from tests.core.models.gguf import making


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, None),
        ({"eos_token_id": 2, "_from_model_config": True}, None),
        ({"temperature": 0.6, "top_k": 20, "top_p": 0.95, "do_sample": True}, SamplingSettings(temperature=0.6, top_k=20, top_p=0.95)),
        ({"temperature": 0.7, "repetition_penalty": 1.05}, SamplingSettings(temperature=0.7, repetition_penalty=1.05)),
        ({"temperature": 1.0, "top_p": 1.0}, None),
        ({"temperature": 0.0}, SamplingSettings(greedy=True)),
        ({"do_sample": False}, SamplingSettings(greedy=True)),
        ({"temperature": "hot"}, None),
        ({"top_p": 7}, None),
        ({"temperature": float("nan")}, None),
        ({"top_k": [1]}, None),
    ],
)
def test_only_valid_settings_are_recommended(values: dict[str, Any], expected: SamplingSettings | None) -> None:
    assert recommended(values) == expected


def test_a_folder_and_a_gguf_file_bring_their_settings(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    source = tiny_folder("qwen3")
    folder = tmp_path / "m"
    folder.mkdir()
    for file in source.iterdir():
        (folder / file.name).symlink_to(file)
    (folder / "generation_config.json").unlink(missing_ok=True)
    (folder / "generation_config.json").write_text(json.dumps({"temperature": 0.6, "top_k": 20, "eos_token_id": [1, 2]}))
    model = load_model(folder, device="cpu")
    assert model.recommended == SamplingSettings(temperature=0.6, top_k=20)
    assert {1, 2} <= model.end_token_ids
    file = making.converted(source, "qwen3", tmp_path / "m.gguf", general__sampling__temp=0.5, general__sampling__top_k=7)
    assert load_model(file, device="cpu").recommended == SamplingSettings(temperature=0.5, top_k=7)
    assert load_model(source, device="cpu").recommended is None
