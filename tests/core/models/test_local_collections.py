"""Models of other programs are found where those programs put them, and nothing is opened or changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from core import errors, load_model
from core.models.gguf.header import is_gguf
from core.models.local_collections import LocalModel, local_models

DIGEST = "sha256:" + "ab" * 32


def others(home: Path) -> list[LocalModel]:
    """What is found outside the hub's cache, which all tests share."""
    return [model for model in local_models(home) if model.collection != "Hugging Face"]


def put(path: Path, content: bytes = b"12345") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.fixture(autouse=True)
def no_other_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OLLAMA_MODELS", "TOKEN_VIEWER_FOLDERS"):
        monkeypatch.delenv(name, raising=False)


def manifest(home: Path, name: str, content: object) -> None:
    put(home / ".ollama" / "models" / "manifests" / "registry.ollama.ai" / "library" / name, json.dumps(content).encode())


def test_lm_studios_files_are_found_without_projectors_and_later_parts(tmp_path: Path) -> None:
    folder = tmp_path / ".lmstudio" / "models" / "maker" / "model"
    file = put(folder / "model-Q4.gguf")
    for name in ("mmproj-model.gguf", "notes.txt"):
        put(folder / name)
    parts = [put(folder / f"big-0000{part}-of-00002.gguf") for part in (1, 2)]
    found = {model.name: model for model in others(tmp_path)}
    assert set(found) == {str(file), str(parts[0])}
    assert (found[str(file)].title, found[str(file)].bytes, found[str(file)].collection) == ("maker/model/model-Q4.gguf", 5, "LM Studio")
    assert found[str(parts[0])].bytes == 10


def test_ollamas_blobs_are_found_by_their_manifests(tmp_path: Path) -> None:
    blob = put(tmp_path / ".ollama" / "models" / "blobs" / DIGEST.replace(":", "-"), b"GGUF....")
    layers = [{"mediaType": "application/vnd.ollama.image.template", "digest": "sha256:x"}]
    manifest(tmp_path, "tiny/1b", {"layers": [*layers, {"mediaType": "application/vnd.ollama.image.model", "digest": DIGEST}]})
    manifest(tmp_path, "gone/1b", {"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:" + "cd" * 32}]})
    manifest(tmp_path, "evil/1b", {"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "../../../x"}]})
    manifest(tmp_path, "odd/1b", [1, 2])
    (found,) = others(tmp_path)
    assert (found.name, found.title, found.bytes, found.collection) == (str(blob), "tiny:1b", 8, "Ollama")
    assert is_gguf(found.name)
    with pytest.raises(errors.ModelError):  # it is opened as a GGUF file, and is none
        load_model(found.name)


def test_named_folders_are_searched_and_links_are_not_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "shelf"
    put(folder / "plain" / "config.json", b"{}")
    put(folder / "plain" / "model.safetensors")
    put(tmp_path / "elsewhere" / "secret.gguf")
    (folder / "link").symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    monkeypatch.setenv("TOKEN_VIEWER_FOLDERS", str(folder))
    (found,) = others(tmp_path / "home")
    assert (found.name, found.title, found.bytes, found.collection) == (str(folder / "plain"), "plain", 5, "shelf")


def test_nothing_is_found_where_nothing_is(tmp_path: Path) -> None:
    assert others(tmp_path) == []
