"""A damaged bundled model is left out and named in the log, and the others stay."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path

import pytest

from core import load_model
from core.bundled.recipe.checksums import write_checksums
from core.errors import ModelError
from core.models import bundled_models, fast_start, hub
from core.models.checksums import CHECKED, CHECKSUMS, checksum_lines
from core.models.hub import BUNDLED

NAMES = ["storyteller-mini", "storyteller-mini-alone"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two bundled models, as copies."""
    for name in NAMES:
        shutil.copytree(BUNDLED / name, tmp_path / name)
    shutil.copyfile(BUNDLED / CHECKSUMS, tmp_path / CHECKSUMS)
    for module in (bundled_models, fast_start, hub):
        monkeypatch.setattr(module, "BUNDLED", tmp_path)
    return tmp_path


def flip(path: Path, at: int) -> None:
    """Change one byte."""
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def test_the_checksums_are_those_of_the_files() -> None:
    assert (BUNDLED / CHECKSUMS).read_text("utf-8") == checksum_lines(BUNDLED)


@pytest.mark.parametrize(
    ("file", "at"), [("model.safetensors", 20), ("model.safetensors", 1_000_000), ("config.json", 40), ("tokenizer.json", 9)]
)
def test_a_model_with_a_flipped_bit_is_left_out_and_logged(file: str, at: int, home: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A flipped byte in the header of the second model ended every page; one within the weights went unnoticed."""
    flip(home / "storyteller-mini" / file, at)
    with caplog.at_level(logging.ERROR):
        assert [entry.name for entry in bundled_models.list_models()] == ["storyteller-mini-alone"]
    assert f"storyteller-mini is damaged and left out: {file}" in caplog.text
    with pytest.raises(ModelError, match=f"{file} of “storyteller-mini” is damaged"):
        load_model("storyteller-mini")
    assert fast_start.load_without_network("storyteller-mini") is None
    assert load_model("storyteller-mini-alone").parameter_count > 0


@pytest.mark.parametrize("file", CHECKED)
def test_a_model_without_one_of_its_files_is_left_out(file: str, home: Path) -> None:
    (home / "storyteller-mini" / file).unlink()
    assert [entry.name for entry in bundled_models.list_models()] == ["storyteller-mini-alone"]


def test_a_model_without_checksums_is_listed_if_its_header_can_be_read(home: Path, caplog: pytest.LogCaptureFixture) -> None:
    (home / CHECKSUMS).unlink()
    flip(home / "storyteller-mini" / "model.safetensors", 20)
    (home / "storyteller-mini-alone" / "README.md").write_bytes(b"\xff not UTF-8")
    assert [entry.name for entry in bundled_models.list_models()] == ["storyteller-mini-alone"]
    assert "SafetensorError" in caplog.text
    flip(home / "storyteller-mini" / "model.safetensors", 20)
    bundled_models._entries.cache_clear()
    assert [entry.name for entry in bundled_models.list_models()] == NAMES


def test_the_command_that_makes_the_models_writes_the_checksums(home: Path) -> None:
    (home / CHECKSUMS).unlink()
    write_checksums(home)
    mini = {line for line in (BUNDLED / CHECKSUMS).read_text("utf-8").splitlines() if "-mini" in line}
    assert set((home / CHECKSUMS).read_text("utf-8").splitlines()) == mini
