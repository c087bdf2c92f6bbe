"""Names of models as people paste them, and models that cannot be read although their files are whole."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from core import load_model
from core.errors import ModelError
from core.models.hub import NEEDED, UNNEEDED
from core.models.memory_estimate import fit, numbers_in
from core.models.model_names import checked_name


@pytest.mark.parametrize(
    ("pasted", "read"),
    [
        ("https://huggingface.co/HuggingFaceTB/SmolLM2-135M", "HuggingFaceTB/SmolLM2-135M"),
        ("https://huggingface.co/HuggingFaceTB/SmolLM2-135M/", "HuggingFaceTB/SmolLM2-135M"),
        ("https://huggingface.co/HuggingFaceTB/SmolLM2-135M/tree/main", "HuggingFaceTB/SmolLM2-135M@main"),
        ("http://hf.co/org/model/blob/v1.0/config.json?download=true", "org/model@v1.0"),
        (' "/home/me/models/gpt2" ', "/home/me/models/gpt2"),
        ("“C:\\models\\gpt2”", "C:\\models\\gpt2"),
        ("file:///home/me/my%20models/gpt2", "/home/me/my models/gpt2"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        ("org/model@main", "org/model@main"),
        ("hf.co/org/model-GGUF:Q4_K_M", "org/model-GGUF:Q4_K_M"),
        ("huggingface.co/org/model-GGUF:UD-Q4_K_XL", "org/model-GGUF:UD-Q4_K_XL"),
        ("https://hf.co/org/model", "org/model"),
    ],
)
def test_a_pasted_name_is_read(pasted: str, read: str) -> None:
    assert checked_name(pasted) == read


@pytest.mark.parametrize("wrong", ["", "  ", '""', "a\nb", "x" * 301, "https://huggingface.co/" + "x" * 400, None, 7])
def test_other_names_are_refused(wrong: Any) -> None:
    with pytest.raises(ModelError):
        checked_name("" if wrong == '""' else wrong)


@pytest.mark.parametrize(
    ("method", "extra"), [("gptq", {"bits": 4}), ("awq", {"bits": 4}), ("bitsandbytes", {"load_in_4bit": True}), ("x" * 90, {})]
)
def test_a_quantized_folder_says_its_format(method: str, extra: dict[str, Any], tiny_folder: Any, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_folder("llama"), folder)
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"quantization_config": {"quant_method": method, **extra}}))
    for ask in (load_model, fit):
        with pytest.raises(ModelError, match=r"is quantized as .* without quantization"):
            ask(str(folder))


def test_weights_that_loading_does_not_read_are_not_counted(tiny_folder: Any, tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(tiny_folder("llama"), folder)
    once = numbers_in(folder, "model")
    shutil.copyfile(folder / "model.safetensors", folder / "consolidated.safetensors")
    assert numbers_in(folder, "model") == once


def test_folders_and_consolidated_weights_are_not_downloaded() -> None:
    from huggingface_hub.utils import filter_repo_objects

    files = ["config.json", "model-00001-of-00002.safetensors", "consolidated.safetensors", "original/model.safetensors", "onnx/model.onnx"]
    assert list(filter_repo_objects(files, allow_patterns=list(NEEDED), ignore_patterns=list(UNNEEDED))) == files[:2]
