"""The model that most tests of GGUF files write, as a folder and as a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests import tiny_models
from tests.core.models.gguf import making


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Llama with room for a conversation. Tests read it."""
    return tiny_models.save("llama", tmp_path_factory.mktemp("llama"), max_position_embeddings=256)


@pytest.fixture(scope="session")
def long_qwen3(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny Qwen 3 with a byte-level tokenizer and room for a conversation. Tests read it."""
    return tiny_models.save("qwen3", tmp_path_factory.mktemp("qwen3"), max_position_embeddings=256)


@pytest.fixture(scope="session")
def llama_file(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tiny Llama as a GGUF file. Tests read it."""
    return making.converted(folder, "llama", tmp_path_factory.mktemp("gguf") / "llama.gguf")
