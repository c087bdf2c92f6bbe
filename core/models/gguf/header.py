"""Read the header of a GGUF file: metadata and the table of tensors. Every count in the file is checked before it is used.

The reader of the `gguf` package has no such limits and does not end on an absurd array length. Format: ggml/docs/gguf.md.
"""

from __future__ import annotations

import math
import mmap
import re
import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.errors import ModelError, quoted
from core.message import Message
from core.models.gguf.hub_file import downloaded_file, find_file, is_hub_file

MAGIC = b"GGUF"
VERSIONS = (2, 3)
MOST_KEYS, MOST_TENSORS, MOST_DIMENSIONS = 2_000, 200_000, 4
MOST_ITEMS = 8_000_000  # of all arrays together; the largest known vocabulary with its merges has a million
LONGEST_STRING = 8_000_000  # bytes
LONGEST_NAME = 200
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
RUN = "llama-server:"  # before the path: this file is run by llama-server, even if it could be read here
_OLLAMA_BLOB = re.compile(r".*[/\\\\]sha256-[0-9a-f]{64}")
_PART = re.compile(r"(?P<stem>.*)-(?P<part>\d{5})-of-(?P<count>\d{5})\.gguf", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor: the part of the file that holds it, its shape as in torch, its format ("Q4_K"), and the place of its bytes."""

    name: str
    file: Path
    shape: tuple[int, ...]
    kind: str
    start: int
    bytes: int

    @property
    def count(self) -> int:
        """Return how many numbers the tensor has."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Header:
    """The metadata before the weights, of all parts of a split file together. files: the parts in order."""

    files: tuple[Path, ...]
    metadata: dict[str, Any]
    tensors: tuple[Tensor, ...]

    @property
    def architecture(self) -> str:
        """Return the architecture's name in llama.cpp, such as "llama"."""
        return str(self.metadata.get("general.architecture", ""))[:60]

    @property
    def parameter_count(self) -> int:
        """Return how many numbers the file holds."""
        return sum(tensor.count for tensor in self.tensors)

    @property
    def file_bytes(self) -> int:
        """Return the size of all parts."""
        return sum(file.stat().st_size for file in self.files)

    @property
    def format(self) -> str:
        """Return how the weights are stored: "Q4_K_M", "BF16"."""
        from gguf import LlamaFileType

        try:
            return LlamaFileType(self.metadata["general.file_type"]).name.removeprefix("MOSTLY_").removeprefix("ALL_")
        except (KeyError, ValueError):
            sizes: dict[str, int] = {}
            for tensor in self.tensors:
                sizes[tensor.kind] = sizes.get(tensor.kind, 0) + tensor.count
            return max(sizes, key=lambda kind: sizes[kind], default="?")

    def number(self, key: str, default: float = 0) -> float:
        """Return a number under the architecture's name, such as "block_count"; the default if it is missing or no number."""
        value = self.metadata.get(f"{self.architecture}.{key}", default)
        return value if isinstance(value, int | float) and not isinstance(value, bool) else default


def is_gguf(name: str) -> bool:
    """Return whether this names a GGUF file: by its ending, a blob of Ollama, or a file of the hub. Neither disk nor hub is asked."""
    return name.lower().endswith(".gguf") or _OLLAMA_BLOB.fullmatch(name) is not None or is_hub_file(name.removeprefix(RUN))


def path_of(name: str) -> Path:
    """Return the path in a name, which may have `llama-server:` before it. Downloads a file of the hub that is not here."""
    path = name.removeprefix(RUN)
    return find_file(path) if is_hub_file(path) else Path(path).expanduser()


def is_here(name: str) -> bool:
    """Return whether this is a GGUF file on this machine, a file of the hub if it was downloaded."""
    path = name.removeprefix(RUN)
    return is_gguf(name) and (downloaded_file(path) is not None if is_hub_file(path) else Path(path).expanduser().is_file())


def parts_of(path: Path) -> tuple[Path, ...]:
    """Return all files of a split model, from the name of any of them. Raises ModelError if one is missing."""
    match = _PART.fullmatch(path.name)
    if match is None:
        return (path,)
    count = int(match["count"])
    files = tuple(path.with_name(f"{match['stem']}-{part:05}-of-{match['count']}.gguf") for part in range(1, min(count, 1000) + 1))
    missing = sum(not file.is_file() for file in files)
    if missing:
        raise ModelError("{name} has {count} parts, of which {missing} are missing.", name=quoted(path.name), count=count, missing=missing)
    return files


def read_header(path: Path) -> Header:
    """Return the header of this file and of its other parts. Raises ModelError."""
    if not path.is_file():
        raise ModelError("The file {name} does not exist.", name=quoted(str(path)))
    files = parts_of(path)
    metadata: dict[str, Any] = {}
    tensors: list[Tensor] = []
    for file in files:
        of_file, listed = _read_file(file)
        metadata = metadata or of_file
        tensors += listed
    count, number = metadata.get("split.count"), metadata.get("split.no")
    if len(files) == 1 and isinstance(count, int) and isinstance(number, int) and count > 1:
        raise ModelError(
            "{name} is part {number} of {count}. Put all parts into one folder under their own names (...-00001-of-{last}.gguf).",
            name=quoted(path.name),
            number=number + 1,
            count=count,
            last=f"{count:05}",
        )
    if len({tensor.name for tensor in tensors}) != len(tensors):
        raise _broken(path, Message("it lists a tensor twice"))
    return Header(files, metadata, tuple(tensors))


def _broken(path: Path, why: Message) -> ModelError:
    return ModelError("{name} is not a valid GGUF file: {why}.", name=quoted(path.name), why=why)


def _read_file(path: Path) -> tuple[dict[str, Any], list[Tensor]]:
    try:
        with open(path, "rb") as file:
            if file.read(4) != MAGIC:
                raise _broken(path, Message("it does not begin with the letters GGUF"))
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                return _Reader(path, data).read()
    except OSError as error:
        raise ModelError("The file {name} cannot be read.", name=quoted(str(path))) from error


class _Reader:
    """Reads one file from its start. Each read checks that the file is long enough."""

    def __init__(self, path: Path, data: mmap.mmap) -> None:
        self._path, self._data, self._at, self._items = path, data, len(MAGIC), 0

    def read(self) -> tuple[dict[str, Any], list[Tensor]]:
        (version,) = self._numbers("I", 1)
        if version not in VERSIONS:
            raise _broken(self._path, Message("its version is not 2 or 3"))
        tensor_count, key_count = self._numbers("Q", 2)
        if tensor_count > MOST_TENSORS or key_count > MOST_KEYS:
            raise _broken(self._path, Message("it announces more entries than any model has"))
        metadata: dict[str, Any] = {}
        for _each in range(key_count):
            name = self._string(LONGEST_NAME)
            if name in metadata:
                raise _broken(self._path, Message("it has an entry twice"))
            metadata[name] = self._value(self._numbers("I", 1)[0])
        entries = [self._entry() for _each in range(tensor_count)]
        alignment = metadata.get("general.alignment", 32)
        if not isinstance(alignment, int) or not 1 <= alignment <= 65536 or alignment & (alignment - 1):
            raise _broken(self._path, Message("its alignment is not a power of two"))
        start = -(-self._at // alignment) * alignment
        return metadata, [self._tensor(start, alignment, *entry) for entry in entries]

    def _numbers(self, kind: str, count: int) -> tuple[Any, ...]:
        size = struct.calcsize(f"<{count}{kind}") if count < 2**40 else 2**60
        end = self._at + size
        if end > len(self._data):
            raise self._cut_off()
        values = struct.unpack_from(f"<{count}{kind}", self._data, self._at)
        self._at = end
        return values

    def _cut_off(self) -> ModelError:
        return ModelError(
            "{name} ends before its last entry, so it is incomplete or broken. Download it again.", name=quoted(self._path.name)
        )

    def _string(self, longest: int = LONGEST_STRING) -> str:
        (size,) = self._numbers("Q", 1)
        if size > longest:
            raise _broken(self._path, Message("it has a text that is too long"))
        end = self._at + size
        if end > len(self._data):
            raise self._cut_off()
        text = self._data[self._at : end].decode("utf-8", "replace")
        self._at = end
        return text

    def _value(self, kind: int) -> Any:
        if kind == _STRING:
            return self._string()
        if kind in _SCALARS:
            return self._numbers(_SCALARS[kind], 1)[0]
        if kind != _ARRAY:
            raise _broken(self._path, Message("it has an entry of an unknown type"))
        (of,), (count,) = self._numbers("I", 1), self._numbers("Q", 1)
        self._items += count
        if self._items > MOST_ITEMS:
            raise _broken(self._path, Message("it has a list that is too long"))
        if of in _SCALARS:
            return list(self._numbers(_SCALARS[of], count))
        if of == _STRING:
            return [self._string() for _each in range(count)]
        raise _broken(self._path, Message("it has an entry of an unknown type"))

    def _entry(self) -> tuple[str, tuple[int, ...], int, int]:
        name = self._string(LONGEST_NAME)
        (dimensions,) = self._numbers("I", 1)
        if dimensions > MOST_DIMENSIONS:
            raise _broken(self._path, Message("a tensor has more than four dimensions"))
        shape = tuple(reversed(self._numbers("Q", dimensions)))
        (kind,), (offset,) = self._numbers("I", 1), self._numbers("Q", 1)
        return name, shape, kind, offset

    def _tensor(self, start: int, alignment: int, name: str, shape: tuple[int, ...], kind: int, offset: int) -> Tensor:
        from gguf import GGML_QUANT_SIZES, GGMLQuantizationType

        try:
            quantization = GGMLQuantizationType(kind)
        except ValueError:
            raise _broken(self._path, Message("it stores a tensor in an unknown format")) from None
        block, block_bytes = GGML_QUANT_SIZES[quantization]
        count = math.prod(shape)
        if not shape or not 0 < count < 2**48 or shape[-1] % block or offset % alignment:
            raise _broken(self._path, Message("a tensor has an impossible size"))
        size = count // block * block_bytes
        if start + offset + size > len(self._data):
            raise self._cut_off()
        return Tensor(name, self._path, shape, quantization.name, start + offset, size)
