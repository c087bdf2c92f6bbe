"""The header of a GGUF file is read within bounds; a broken file is refused in one sentence."""

from __future__ import annotations

import struct
from pathlib import Path

import gguf
import numpy as np
import pytest

from core import errors
from core.models.gguf import header
from core.models.gguf.header import read_header
from tests.core.models.gguf import making
from tests.core.refusals import one_sentence

METADATA = {"general.architecture": "llama", "llama.block_count": 2, "list": [1, 2, 3], "words": ["a", "ä"], "half": 0.5, "yes": True}
TENSORS = {"a.weight": np.arange(64, dtype=np.float32).reshape(2, 32), "b.weight": np.ones((1, 32), np.float32)}


def text(value: bytes) -> bytes:
    return struct.pack("<Q", len(value)) + value


def start(tensors: int = 0, keys: int = 0, version: int = 3) -> bytes:
    return b"GGUF" + struct.pack("<IQQ", version, tensors, keys)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return making.write(tmp_path / "m.gguf", METADATA, TENSORS)


def refused(path: Path, content: bytes) -> str:
    path.write_bytes(content)
    with one_sentence(errors.ModelError) as caught:
        read_header(path)
    return str(caught.value)


def test_it_reads_what_the_reader_of_the_package_reads(file: Path) -> None:
    found, theirs = read_header(file), gguf.GGUFReader(file)
    assert {key: field.contents() for key, field in theirs.fields.items() if not key.startswith("GGUF.")} == found.metadata
    there = [(tensor.name, tensor.tensor_type.name, tensor.data_offset, tensor.n_bytes) for tensor in theirs.tensors]
    assert [(tensor.name, tensor.kind, tensor.start, tensor.bytes) for tensor in found.tensors] == there
    assert (found.architecture, found.parameter_count, found.file_bytes) == ("llama", 96, file.stat().st_size)


def test_the_format_is_the_files_own_or_that_of_most_weights(tmp_path: Path) -> None:
    assert read_header(making.write(tmp_path / "a.gguf", METADATA | {"general.file_type": 15}, TENSORS)).format == "Q4_K_M"
    assert read_header(making.write(tmp_path / "b.gguf", METADATA, TENSORS, "Q8_0")).format == "Q8_0"


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    assert "GGUF" in refused(tmp_path / "x.gguf", b"PK\3\4 and more")
    assert "version" in refused(tmp_path / "x.gguf", start(version=1))
    assert "version" in refused(tmp_path / "x.gguf", start(version=3 << 24))
    refused(tmp_path / "x.gguf", b"")
    with pytest.raises(errors.ModelError):
        read_header(tmp_path / "missing.gguf")


def test_every_truncated_file_is_refused(file: Path, tmp_path: Path) -> None:
    whole = file.read_bytes()
    for end in [*range(5, len(whole) - 200, 7), len(whole) - 1]:
        refused(tmp_path / "cut.gguf", whole[:end])


def test_absurd_sizes_are_refused_at_once(tmp_path: Path) -> None:
    path, key = tmp_path / "x.gguf", text(b"k")
    refused(path, start(keys=2**63))
    refused(path, start(tensors=2**63))
    for of in (0, 4, 8):
        assert "too long" in refused(path, start(keys=1) + key + struct.pack("<IIQ", 9, of, 2**62))
        refused(path, start(keys=1) + key + struct.pack("<IIQ", 9, of, header.MOST_ITEMS))
    refused(path, start(keys=1) + struct.pack("<Q", 2**62))
    refused(path, start(keys=1) + key + struct.pack("<IQ", 8, 2**62))
    refused(path, start(keys=1) + key + struct.pack("<IIQ", 9, 9, 1))  # a list of lists
    refused(path, start(keys=1) + key + struct.pack("<I", 77))
    refused(path, start(keys=2) + 2 * (key + struct.pack("<IB", 0, 1)))
    refused(path, start(keys=1) + text(b"general.alignment") + struct.pack("<II", 4, 0))


@pytest.mark.parametrize(
    ("dimensions", "kind", "offset"),
    [((2**40, 2**40), 0, 0), ((0,), 0, 0), ((33,), 8, 0), ((32,), 99, 0), ((32,), 0, 1), ((32,) * 5, 0, 0), ((32,), 0, 2**60)],
)
def test_impossible_tensors_are_refused(dimensions: tuple[int, ...], kind: int, offset: int, tmp_path: Path) -> None:
    entry = text(b"a") + struct.pack(f"<I{len(dimensions)}QIQ", len(dimensions), *dimensions, kind, offset)
    refused(tmp_path / "x.gguf", start(tensors=1) + entry + bytes(300))


def test_split_files_are_taken_together(tmp_path: Path) -> None:
    names = [tmp_path / f"m-0000{part}-of-00002.gguf" for part in (1, 2)]
    making.write(names[0], METADATA, {"a.weight": TENSORS["a.weight"]})
    with pytest.raises(errors.ModelError, match="2 parts"):
        read_header(names[0])
    making.write(names[1], {"general.architecture": "llama"}, {"b.weight": TENSORS["b.weight"]})
    for name in names:
        found = read_header(name)
        assert [(tensor.name, tensor.file) for tensor in found.tensors] == [("a.weight", names[0]), ("b.weight", names[1])]
        assert found.metadata["words"] == ["a", "ä"]
