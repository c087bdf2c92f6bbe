"""The precision in which the weights of a model are loaded."""

from __future__ import annotations

import torch

from core.errors import ModelError, quoted

NARROW = {"BF16": "bfloat16", "F16": "float16"}
SMALL = 64_000_000  # bytes; smaller models save little memory in 16 bits, and float32 is faster without compiled code


def dtype_for(wanted: str, device: torch.device) -> torch.dtype:
    """Return the torch dtype of this name; "auto" depends on the device. Raises ModelError for an unknown dtype."""
    dtypes = {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}
    if wanted == "auto":
        if device.type == "cuda":
            return torch.bfloat16 if torch.cuda.is_bf16_supported() else torch.float16
        return torch.float16 if device.type == "mps" else torch.float32
    if wanted not in dtypes:
        raise ModelError("{wanted} is not a precision. Use auto, float32, float16 or bfloat16.", wanted=quoted(str(wanted)))
    return dtypes[wanted]


def stays_in(counts: dict[str, int], model_type: str, device: torch.device, dtype: str) -> str | None:
    """Return the 16-bit precision in which stored weights stay while sums are computed in float32; None if they are widened to float32.

    They stay if float32 is asked for on a CPU, all have one 16-bit format, they have at least SMALL bytes, and compiled code supports the
    model family.
    """
    from core.backends import compiled
    from core.backends.decoder_families import MODEL_TYPES

    kinds = [kind for kind in counts if kind.startswith(("F", "BF"))]
    plain = device.type == "cpu" and dtype in ("auto", "float32") and model_type in MODEL_TYPES and compiled.available()
    return NARROW.get(kinds[0]) if plain and len(kinds) == 1 and 2 * counts[kinds[0]] >= SMALL else None
