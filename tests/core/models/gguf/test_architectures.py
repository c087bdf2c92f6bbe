"""Which GGUF files are read here: every setting and every tensor in them has its place, and a sentence names the one that has none."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.models.gguf.architectures import why_not_here
from core.models.gguf.header import read_header
from core.models.gguf.loading import plan
from tests.core.models.gguf import making


@pytest.mark.parametrize(
    ("key", "value", "part"),
    [
        ("llama__rope__scaling__type", "yarn", "rope.scaling.type"),
        ("llama__rope__scaling__factor", 8.0, "rope.scaling.factor"),
        ("llama__expert_count", 8, "expert_count"),
        ("llama__attention__head_count_kv", [1, 2, 1], "head_count_kv"),
        ("llama__something_new", 1, "something_new"),
        ("llama__rope__dimension_count", 4, "heads"),
        ("tokenizer__ggml__model", "rwkv", "rwkv"),
    ],
)
def test_metadata_that_would_be_ignored_is_not_read_here(key: str, value: Any, part: str, folder: Path, tmp_path: Path) -> None:
    found = plan(str(making.converted(folder, "llama", tmp_path / "m.gguf", **{key: value})))
    assert not found.here and part in str(found.why)


def test_neutral_settings_are_read_here(folder: Path, tmp_path: Path) -> None:
    neutral: dict[str, Any] = {"llama__rope__scaling__type": "none", "llama__expert_count": 0, "llama__rope__dimension_count": 8}
    assert plan(str(making.converted(folder, "llama", tmp_path / "m.gguf", **neutral))).here


def test_an_unknown_split_of_words_or_tensor_or_architecture_is_not_read_here(tiny_folder: Callable[[str], Path], tmp_path: Path) -> None:
    folder = tiny_folder("gpt2")
    metadata, weights = making.metadata_of(folder, "gpt2"), making.weights_of(folder, "gpt2")
    odd = making.write(tmp_path / "pre.gguf", metadata | {"tokenizer.ggml.pre": "new-one"}, weights)
    assert "new-one" in str(why_not_here(read_header(odd)))
    more = making.write(tmp_path / "more.gguf", metadata, weights | {"rope_freqs.weight": np.ones(4, np.float32)})
    assert "rope_freqs.weight" in str(why_not_here(read_header(more)))
    other = making.write(tmp_path / "other.gguf", {"general.architecture": "rwkv9"}, {"a": np.ones(32, np.float32)})
    assert "rwkv9" in str(why_not_here(read_header(other)))


def test_a_format_that_cannot_be_unpacked_is_for_llama_server(folder: Path, tmp_path: Path) -> None:
    header = read_header(making.tiny_file(tmp_path / "model.gguf", folder))
    tensors = tuple(replace(tensor, kind="Q1_0" if "attn_q" in tensor.name else "F32") for tensor in header.tensors)
    assert str(why_not_here(replace(header, tensors=tensors))) == "this app cannot unpack its format Q1_0"


@pytest.mark.parametrize("name", ["blk.0.attn_norm.bias", "blk.00.attn_norm.weight", "blk.\u0660.attn_norm.weight", "position_embd.weight"])
def test_a_tensor_without_a_place_in_the_network_is_not_read_here(name: str, folder: Path, tmp_path: Path) -> None:
    more = making.weights_of(folder, "llama") | {name: np.ones(32, np.float32)}
    assert name in str(why_not_here(read_header(making.tiny_file(tmp_path / "model.gguf", folder, more))))
