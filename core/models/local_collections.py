"""Models that other programs have put on this machine: the cache of the hub, LM Studio's and Ollama's folders, TOKEN_VIEWER_FOLDERS.

Only names and sizes are read. Nothing is copied or changed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from core.limits import PREFIX
from core.models.hub import downloaded

MOST = 500  # models
MOST_FILES = 20_000  # looked at in one folder
DEEPEST = 4  # folders below the named one
LARGEST_MANIFEST = 200_000  # bytes
_LATER_PART = re.compile(r".*-(?!00001)\d{5}-of-\d{5}\.gguf", re.IGNORECASE)
_MODEL_LAYER = "application/vnd.ollama.image.model"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model on this machine. name: for `load_model`; title: as its collection calls it; bytes: of its files; collection: whose it is."""

    name: str
    title: str
    bytes: int
    collection: str


def local_models(home: Path | None = None) -> list[LocalModel]:
    """Return at most MOST models of all collections. home: the user's folder. A collection that cannot be read is left out."""
    home = home or Path.home()
    models: list[LocalModel] = []
    for named in filter(None, os.environ.get(f"{PREFIX}FOLDERS", "").split(os.pathsep)):
        models += _in_folder(Path(named).expanduser(), Path(named).name)
    for folder in (home / ".lmstudio" / "models", home / ".cache" / "lm-studio" / "models"):
        models += _in_folder(folder, "LM Studio")
    models += _ollama(Path(os.environ.get("OLLAMA_MODELS") or home / ".ollama" / "models"))
    models += _hub_cache()
    once = {model.name: model for model in reversed(models)}
    return list(reversed(once.values()))[:MOST]


def _in_folder(folder: Path, collection: str) -> Iterator[LocalModel]:
    """Yield the GGUF files and the folders of safetensors below a folder. Links to other folders are not followed."""
    seen = 0
    for subfolder, folders, files in os.walk(folder):
        here = Path(subfolder)
        seen += len(files)
        if seen > MOST_FILES:
            return
        folders.sort()
        if len(here.relative_to(folder).parts) >= DEEPEST:
            folders.clear()
        if "config.json" in files and any(name.endswith(".safetensors") for name in files):
            yield LocalModel(subfolder, str(here.relative_to(folder)), _size(here, files, ".safetensors"), collection)
        for name in sorted(files):
            if name.lower().endswith(".gguf") and not _LATER_PART.fullmatch(name) and "mmproj" not in name.lower():
                stem = name.partition("-00001-of-")[0] if "-00001-of-" in name else name
                parts = [file for file in files if file == name or (file.startswith(f"{stem}-") and "-of-" in file)]
                yield LocalModel(str(here / name), str((here / name).relative_to(folder)), _size(here, parts, ".gguf"), collection)


def _size(folder: Path, files: list[str], ending: str) -> int:
    total = 0
    for name in files:
        if name.lower().endswith(ending):
            try:
                total += (folder / name).stat().st_size
            except OSError:  # a link to a file that is gone
                continue
    return total


def _ollama(folder: Path) -> Iterator[LocalModel]:
    """Yield the models of Ollama: a manifest names the blob that holds the weights."""
    manifests = folder / "manifests"
    for subfolder, _folders, files in os.walk(manifests):
        for name in sorted(files):
            path = Path(subfolder) / name
            try:
                if path.stat().st_size > LARGEST_MANIFEST:
                    continue
                layers = json.loads(path.read_text("utf-8"))["layers"]
                digest = next(str(layer["digest"]) for layer in layers if layer["mediaType"] == _MODEL_LAYER)
                blob = folder / "blobs" / digest.replace(":", "-")
                if not _DIGEST.fullmatch(digest):
                    continue
                size = blob.stat().st_size
            except (OSError, ValueError, KeyError, TypeError, StopIteration, RecursionError):  # another kind of file
                continue
            *_server, model = path.parent.relative_to(manifests).parts
            yield LocalModel(str(blob), f"{model}:{name}", size, "Ollama")


def _hub_cache() -> Iterator[LocalModel]:
    """Yield the models that were downloaded from the hub completely, and the GGUF files among them."""
    from huggingface_hub import scan_cache_dir
    from huggingface_hub.errors import CacheNotFound

    try:
        cache = scan_cache_dir()
    except (CacheNotFound, OSError):
        return
    for repository in sorted(cache.repos, key=lambda entry: entry.repo_id):
        if repository.repo_type != "model":
            continue
        if downloaded(repository.repo_id) is not None:
            yield LocalModel(repository.repo_id, repository.repo_id, repository.size_on_disk, "Hugging Face")
        for revision in repository.revisions:
            for file in sorted(revision.files, key=lambda entry: entry.file_name):
                name = file.file_name.lower()
                if name.endswith(".gguf") and not _LATER_PART.fullmatch(name) and "mmproj" not in name:
                    title = f"{repository.repo_id}/{file.file_name}"
                    yield LocalModel(str(file.file_path), title, file.size_on_disk, "Hugging Face")
