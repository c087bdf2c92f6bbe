"""SHA-256 checksums of the bundled models' files, which are compared before a model is listed or loaded.

The file has the form of `sha256sum`, so that `sha256sum --check checksums.txt` reads it too. The command that makes the models writes it.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

CHECKSUMS = "checksums.txt"  # in the folder of all bundled models
CHECKED = ("config.json", "generation_config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json")  # what loading reads


@lru_cache(maxsize=32)
def broken_file(folder: Path) -> str:
    """Return the name of the first file of this bundled model that is missing or is not the one that was bundled; "" if there is none.

    A model without checksums counts as whole. Read once per process: 0.01 s for the 12 MB of the main model.
    """
    names = [name for name in CHECKED if (folder.name, name) in _checksums(folder.parent)]
    return next((name for name in names if _checksum(folder / name) != _checksums(folder.parent)[folder.name, name]), "")


@lru_cache(maxsize=8)
def _checksums(home: Path) -> dict[tuple[str, str], str]:
    """Return the checksum of each file by model and name."""
    try:
        lines = (home / CHECKSUMS).read_text("utf-8", "replace").splitlines()
    except OSError:
        return {}
    parts = (line.partition("  ") for line in lines)
    return {(path.partition("/")[0], path.partition("/")[2]): checksum for checksum, _space, path in parts}


def _checksum(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return "no file"


def checksum_lines(home: Path) -> str:
    """Return the content of the file of checksums for the models in this folder."""
    paths = sorted(path for folder in home.glob("*/") if (folder / "model.safetensors").is_file() for path in folder.iterdir())
    return "".join(f"{_checksum(path)}  {path.relative_to(home).as_posix()}\n" for path in paths if path.name in CHECKED)
