"""GGUF files of the hub, as llama.cpp names them: org/repository:Q4_K_M. Of a repository with many files one is downloaded."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path

from core.errors import ModelError, quoted
from core.message import Message
from core.models.hub import plainly
from core.models.model_names import is_hub_id, with_revision

_QUANTIZATION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{1,29}", re.ASCII)
_PART = re.compile(r"-\d{5}-of-\d{5}$")


def is_hub_file(name: str) -> bool:
    """Return whether this has the form of a file of the hub. The hub is not asked.

    >>> is_hub_file("org/model-GGUF:Q4_K_M"), is_hub_file("org/model"), is_hub_file("host:8000")
    (True, False, False)
    """
    repository, colon, quantization = name.rpartition(":")
    return bool(colon) and is_hub_id(repository) and _QUANTIZATION.fullmatch(quantization) is not None


def matching(files: Iterable[str], quantization: str) -> list[str]:
    """Return the GGUF file of this quantization, or all parts of it, in order. Projectors of pictures are left out.

    >>> matching(["m-Q4_K_M.gguf", "m-IQ4_K_M.gguf", "mmproj-Q4_K_M.gguf"], "q4_k_m")
    ['m-Q4_K_M.gguf']
    """
    parts: dict[str, list[str]] = {}
    for file in sorted(files):
        base = Path(file).name
        stem = _PART.sub("", base[: -len(".gguf")])
        wanted = re.fullmatch(rf"(?:.*[-._])?{re.escape(quantization)}", stem, re.IGNORECASE)
        if base.lower().endswith(".gguf") and "mmproj" not in base.lower() and wanted:
            parts.setdefault(str(Path(file).with_name(stem)), []).append(file)
    return next(iter(parts.values()), [])


def downloaded_file(name: str, cache: Path | None = None) -> Path | None:
    """Return the file if it is here completely, else None. Uses no network. The first part of a split file."""
    from huggingface_hub import snapshot_download

    repository, revision = with_revision(name.rpartition(":")[0])
    try:  # a pattern that no file has, because the other files of the repository may be missing
        folder = Path(snapshot_download(repository, revision=revision, allow_patterns=["//"], local_files_only=True, cache_dir=cache))
    except (OSError, ValueError):
        return None
    here = matching((str(path.relative_to(folder)) for path in folder.rglob("*.gguf")), name.rpartition(":")[2])
    count = re.search(r"-of-(\d{5})\.gguf$", here[0], re.IGNORECASE) if here else None
    return folder / here[0] if here and len(here) == (int(count[1]) if count else 1) else None


def files_on_hub(name: str, endpoint: str | None = None) -> dict[str, int]:
    """Ask the hub for the files of this name, with their bytes. Raises ModelError if it has none, ModelError without an answer."""
    from huggingface_hub import HfApi

    repository, revision = with_revision(name.rpartition(":")[0])
    with plainly(name):
        info = HfApi(endpoint=endpoint).model_info(repository, revision=revision, files_metadata=True, timeout=10.0)
    sizes = {file.rfilename: file.size or 0 for file in info.siblings or ()}
    files = {file: sizes[file] for file in matching(sizes, name.rpartition(":")[2])}
    if not files:
        message = Message("{name} is not on the hub: its repository has no GGUF file with this quantization.", name=quoted(name))
        raise ModelError(message)
    return files


def find_file(name: str) -> Path:
    """Return the file, downloaded from the hub if necessary. Raises a ModelError."""
    path = downloaded_file(name)
    if path is not None:
        return path
    from huggingface_hub import snapshot_download

    files = files_on_hub(name)
    repository, revision = with_revision(name.rpartition(":")[0])
    with plainly(name):
        return Path(snapshot_download(repository, revision=revision, allow_patterns=list(files))) / next(iter(files))
