"""Estimate before loading whether a model fits into memory, from safetensors headers and free memory."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from core.errors import ModelError, quoted
from core.models.gguf.header import is_gguf
from core.models.gguf.loading import plan
from core.models.hub import downloaded, local_folder, plainly
from core.models.model_names import with_revision
from core.models.validation import refuse_quantized, weight_files

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
HEADROOM = 1.1  # 10 % more than the weights, for tokenizer, buffers and the first pass


@dataclass(frozen=True, slots=True)
class Fit:
    """The memory that a model needs. All sizes in bytes.

    file_bytes: weights as stored (the size of a download). loaded_bytes: weights in the precision in which they are loaded.
    free_bytes: free memory of the device now. parameter_count: numbers in the files.
    """

    parameter_count: int
    file_bytes: int
    loaded_bytes: int
    free_bytes: int
    device: str

    @property
    def fits(self) -> bool:
        """Return whether the weights and 10 % more fit into the free memory."""
        return self.loaded_bytes * HEADROOM <= self.free_bytes


def fit(name: str, device: str = "auto", dtype: str = "auto") -> Fit:
    """Return the memory that loading this model needs. Asks the hub only for the headers of its files. Raises a ModelError."""
    from core.device import device_for
    from core.models.precision import dtype_for, stays_in

    where = device_for(device)
    if is_gguf(name):
        file_plan = plan(name, dtype, device)
        return Fit(file_plan.header.parameter_count, file_plan.header.file_bytes, file_plan.loaded_bytes, file_plan.free_bytes, "cpu")
    counts, config = stored_numbers(name), _config(name)
    refuse_quantized(config.get("quantization_config"), name)
    size = 2 if stays_in(counts, str(config.get("model_type", "")), where, dtype) else dtype_for(dtype, where).itemsize
    numbers = sum(counts.values())
    stored = sum(count * ITEM_SIZES.get(kind, 4) for kind, count in counts.items())
    return Fit(numbers, stored, numbers * size, free_memory(where), str(where))


def _config(name: str) -> dict[str, Any]:
    """Return a model's configuration, {} if unknown. Asks the hub only for the model's information."""
    folder = local_folder(name) or downloaded(name)
    try:
        if folder is not None:
            return dict(json.loads((folder / "config.json").read_text("utf-8")))
        from huggingface_hub import HfApi

        repository, revision = with_revision(name)
        return dict(HfApi().model_info(repository, revision=revision, timeout=10.0).config or {})
    except Exception:  # loading reports the error; until then the larger size is assumed
        return {}


def stored_numbers(name: str) -> dict[str, int]:
    """Return how many numbers of each format ("BF16", "F32", ...) a model's weight files hold, from their headers. Raises a ModelError."""
    folder = local_folder(name) or downloaded(name)
    if folder is not None:
        return numbers_in(folder, name)
    from huggingface_hub import HfApi
    from huggingface_hub.errors import NotASafetensorsRepoError

    repository, revision = with_revision(name)
    with plainly(name):
        try:
            counts = HfApi().get_safetensors_metadata(repository, revision=revision, timeout=10.0).parameter_count
            return {str(kind): count for kind, count in counts.items()}
        except NotASafetensorsRepoError as error:
            raise ModelError("{name} has no safetensors weights. Only safetensors are read.", name=quoted(name)) from error


def numbers_in(folder: Path, name: str) -> dict[str, int]:
    """Return how many numbers of each format the weight files of this folder hold. Raises ModelError for none or a broken file."""
    from safetensors import SafetensorError, safe_open

    counts: dict[str, int] = {}
    for path in weight_files(folder):
        try:
            with safe_open(path, framework="numpy") as file:
                for key in file.keys():  # noqa: SIM118 (safe_open is no dictionary)
                    part = file.get_slice(key)
                    counts[part.get_dtype()] = counts.get(part.get_dtype(), 0) + math.prod(part.get_shape())
        except (SafetensorError, OSError) as error:
            raise ModelError("{path} of {name} is incomplete or broken. Download it again.", path=path.name, name=quoted(name)) from error
    if not counts:
        raise ModelError("There are no safetensors weights in {name}.", name=quoted(name))
    return counts


def free_memory(device: Any) -> int:
    """Return the free bytes of this torch device now."""
    import torch

    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    if device.type == "mps":
        return int(torch.mps.recommended_max_memory() - torch.mps.driver_allocated_memory())
    return int(psutil.virtual_memory().available)
