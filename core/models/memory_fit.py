"""Memory estimate before loading, from safetensors headers and free memory: whether a model fits."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from core.errors import HalfDownloaded, PickleOnly, quoted
from core.language import _
from core.models.hub import downloaded, local_folder, plainly, with_revision

ITEM_SIZES = {
    "F64": 8,
    "I64": 8,
    "F32": 4,
    "I32": 4,
    "F16": 2,
    "BF16": 2,
    "I16": 2,
    "F8_E4M3": 1,
    "F8_E5M2": 1,
    "I8": 1,
    "U8": 1,
    "BOOL": 1,
}
NARROW = {"BF16": "bfloat16", "F16": "float16"}
SMALL = 64_000_000  # bytes; of so few, there is nothing to be saved, and without compiled code wide ones are quicker
HEADROOM = 1.1  # a tenth more than the weights: tokenizer, buffers, the first pass


@dataclass(frozen=True, slots=True)
class Fit:
    """What a model takes. All sizes in bytes.

    file_bytes: its weights as stored (what a download brings). loaded_bytes: its weights in the precision they are loaded in.
    free_bytes: memory free on the device now. parameter_count: numbers in its files.
    """

    parameter_count: int
    file_bytes: int
    loaded_bytes: int
    free_bytes: int
    device: str

    @property
    def fits(self) -> bool:
        """Whether the weights, and a tenth more, fit into what is free."""
        return self.loaded_bytes * HEADROOM <= self.free_bytes


def fit(name: str, device: str = "auto", dtype: str = "auto") -> Fit:
    """What loading this model would take. Asks the hub only for the headers of its files. Raises a ModelError."""
    from core.device import device_for, dtype_for

    where = device_for(device)
    counts = stored_numbers(name)
    size = 2 if stays_in(counts, _model_type(name), where, dtype) else dtype_for(dtype, where).itemsize
    numbers = sum(counts.values())
    stored = sum(count * ITEM_SIZES.get(kind, 4) for kind, count in counts.items())
    return Fit(numbers, stored, numbers * size, free_memory(where), str(where))


def stays_in(counts: dict[str, int], model_type: str, device: Any, dtype: str) -> str | None:
    """The 16-bit precision that weights stay in, as they are stored, while everything is computed in float32; None where they are widened.

    They stay where float32 is asked for on a CPU, all of them are stored alike, and compiled code knows the family.
    """
    from core.backends import compiled
    from core.backends.decoder_families import MODEL_TYPES

    kinds = [kind for kind in counts if kind.startswith(("F", "BF"))]
    plain = device.type == "cpu" and dtype in ("auto", "float32") and model_type in MODEL_TYPES and compiled.available()
    return NARROW.get(kinds[0]) if plain and len(kinds) == 1 and 2 * counts[kinds[0]] >= SMALL else None


def _model_type(name: str) -> str:
    """The kind of architecture, from a model's configuration; "" where it is not known. Asks the hub for no more than the model's page."""
    folder = local_folder(name) or downloaded(name)
    try:
        if folder is not None:
            return str(json.loads((folder / "config.json").read_text("utf-8")).get("model_type", ""))
        from huggingface_hub import HfApi

        repository, revision = with_revision(name)
        known = HfApi().model_info(repository, revision=revision, timeout=10.0).config or {}
        return str(known.get("model_type", ""))
    except Exception:  # loading says what is wrong with it; until then the larger number is said
        return ""


def stored_numbers(name: str) -> dict[str, int]:
    """How many numbers of each kind ("BF16", "F32", ...) a model's weight files hold, from their headers."""
    folder = local_folder(name) or downloaded(name)
    if folder is not None:
        return numbers_in(folder, name)
    from huggingface_hub import HfApi
    from huggingface_hub.errors import NotASafetensorsRepoError

    repository, revision = with_revision(name)
    with plainly(name):
        try:
            found = HfApi().get_safetensors_metadata(repository, revision=revision, timeout=10.0).parameter_count
            return {str(kind): count for kind, count in found.items()}
        except NotASafetensorsRepoError as error:
            raise PickleOnly(_("{name} has no safetensors weights, and nothing else is read.").format(name=quoted(name))) from error


def numbers_in(folder: Path, name: str) -> dict[str, int]:
    """How many numbers of each kind the weight files of this folder hold. Raises HalfDownloaded if there are none."""
    from safetensors import SafetensorError, safe_open

    counts: dict[str, int] = {}
    for path in sorted(folder.glob("*.safetensors")):
        try:
            with safe_open(path, framework="numpy") as file:
                for key in file.keys():  # noqa: SIM118 (safe_open is no dictionary)
                    part = file.get_slice(key)
                    counts[part.get_dtype()] = counts.get(part.get_dtype(), 0) + math.prod(part.get_shape())
        except (SafetensorError, OSError) as error:
            raise HalfDownloaded(
                _("{path} of {name} is cut short or broken. Download it again.").format(path=path.name, name=quoted(name))
            ) from error
    if not counts:
        raise HalfDownloaded(_("There are no safetensors weights in {name}.").format(name=quoted(name)))
    return counts


def free_memory(device: Any) -> int:
    """Bytes free on this torch device now."""
    import torch

    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    if device.type == "mps":
        return int(torch.mps.recommended_max_memory() - torch.mps.driver_allocated_memory())
    return int(psutil.virtual_memory().available)
