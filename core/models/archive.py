"""Save a fine-tuned model as a zip of an ordinary Hugging Face folder, and open such a zip.

A stranger's zip cannot do harm: only the files that a model needs are read, none outside the folder and none larger than its entry states.
Their content passes the same checks as all model files.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from core.disk_full import disk_full_named, temporary_folder
from core.errors import ModelError
from core.models.loading import READING, load_folder
from core.sources.capabilities import Can, require

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

LARGEST = 200_000_000  # bytes, unpacked
_NAMES = re.compile(r"(?:[\w.\- ]{1,80}/)?(config\.json|generation_config\.json|model\.safetensors|tokenizer\.json|tokenizer_config\.json)")


def zip_of(model: LanguageModel) -> bytes:
    """Return the model as a zip of its folder: configuration, weights, tokenizer. Raises ModelError for a model on a server, NoRoom."""
    require(model, Can.NETWORK)
    network, packed = model.load_network(), io.BytesIO()
    with disk_full_named(model.name), temporary_folder() as directory, model.engine.lock.acquire():
        folder = Path(directory)
        network.save_pretrained(folder)
        model.tokenizer.save_pretrained(folder)
        settings = folder / "tokenizer_config.json"
        values = {key: value for key, value in json.loads(settings.read_text()).items() if key not in ("is_local", "local_files_only")}
        settings.write_text(json.dumps(values, indent=2) + "\n")
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for path in sorted(folder.iterdir()):
                if _NAMES.fullmatch(path.name):
                    archive.write(path, f"{_plain(model.name)}/{path.name}")
    return packed.getvalue()


def open_zip(data: bytes) -> LanguageModel:
    """Return the model in a zip of a model folder, such as `zip_of` makes, named after the folder. Raises a ModelError."""
    try:
        with disk_full_named("zip"), zipfile.ZipFile(io.BytesIO(data)) as archive, temporary_folder() as directory:
            wanted = [entry for entry in archive.infolist() if _NAMES.fullmatch(entry.filename)]
            names = [Path(entry.filename).name for entry in wanted]
            if sum(entry.file_size for entry in wanted) > LARGEST or len(set(names)) != len(names):
                raise ModelError("This zip contains more than one model, or a model of more than {largest} MB.", largest=LARGEST // 10**6)
            if not {"config.json", "model.safetensors", "tokenizer.json"} <= set(names):
                raise ModelError("This zip contains no model: config.json, model.safetensors and tokenizer.json are needed.")
            for entry, name in zip(wanted, names, strict=True):
                with archive.open(entry) as source:
                    content = source.read(entry.file_size + 1)
                if len(content) != entry.file_size:
                    raise ModelError("The file sizes in this zip are wrong.")
                (Path(directory) / name).write_bytes(content)
            folder = wanted[0].filename.rpartition("/")[0]
            with READING:
                return load_folder(Path(directory), _plain(folder) if folder else "opened")
    except (zipfile.BadZipFile, EOFError, OSError, NotImplementedError, RuntimeError, ValueError) as error:
        raise ModelError("This file is not a zip of a model, or it is broken.") from error


def _plain(name: str) -> str:
    return re.sub(r"[^\w.\- ]+", "-", name)[-60:].strip(" .-") or "model"
