"""Validate untrusted model files before they are loaded, because a bad one can use all memory or take minutes."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

from core.errors import ModelError, quoted

# Bytes, several times the size of the largest known files. JSON takes up to fifty times its size in memory.
_LARGEST = {
    "model.safetensors.index.json": 64_000_000,
    "tokenizer.json": 128_000_000,
    "vocab.json": 128_000_000,
    "tokenizer_config.json": 8_000_000,
    "config.json": 2_000_000,
    "generation_config.json": 2_000_000,
    "special_tokens_map.json": 2_000_000,
    "added_tokens.json": 8_000_000,
    "chat_template.json": 2_000_000,
    "chat_template.jinja": 2_000_000,
}
MOST_NUMBERS = 3  # times the stored numbers, because a tied matrix is stored once
MOST_PACKED_NUMBERS = 20  # times the stored numbers of quantized weights, because up to 16 weights of 2 bits share a stored number
MOST_BUFFER_BYTES = 2_000_000_000  # of tables that are computed, not stored


def weight_files(folder: Path) -> list[Path]:
    """Return the weight files that loading reads: those of the index, or model.safetensors, or all but adapters."""
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        try:
            names = {Path(str(name)).name for name in json.loads(index.read_text("utf-8"))["weight_map"].values()}
        except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):  # `loading` reports a broken index
            names = set()
        return sorted(folder / name for name in names if (folder / name).is_file())
    if (folder / "model.safetensors").is_file():
        return [folder / "model.safetensors"]
    return sorted(path for path in folder.glob("*.safetensors") if not path.name.startswith("adapter_"))


def refuse_quantized(settings: Any, name: str) -> None:
    """Raise ModelError if transformers cannot read these quantized weights here. settings: of config.json, None for plain weights."""
    if not settings:
        return
    from transformers.quantizers import AutoHfQuantizer

    method = str(settings.get("quant_method", "?"))[:40] if isinstance(settings, dict) else "?"
    try:
        AutoHfQuantizer.from_config(copy.deepcopy(settings), pre_quantized=True).validate_environment(device_map=None)
    except Exception as error:  # a missing library, a missing GPU, or an unknown format
        raise ModelError(
            "{name} is quantized as {method}, which cannot be read here. Choose the same model without quantization.",
            name=quoted(name),
            method=quoted(method.upper() if len(method) < 5 else method),
        ) from error


def check_files(folder: Path, name: str) -> None:
    """Raise ModelError if a file is larger than the limit for its kind."""
    for file, most in _LARGEST.items():
        path = folder / file
        if path.is_file() and path.stat().st_size > most:
            size = path.stat().st_size // 1_000_000
            raise ModelError(
                "{file} of {name} has {size} MB. That is too large for such a file, so it was not read.",
                file=file,
                name=quoted(name),
                size=size,
            )


def check_network(config: Any, stored: int, name: str) -> None:
    """Build the configured network on the meta device, without memory, and compare its size with the number of stored values.

    Raises ModelError if the network has far more numbers than its files, or a context length below 1.
    """
    import torch
    from transformers import AutoModelForCausalLM

    from core.engine.shape import ModelShape

    context = ModelShape.from_config(config).context_length
    if context < 1:
        raise ModelError("The context of {name} has {context} tokens, which is too short for a text.", name=quoted(name), context=context)
    try:
        with torch.device("meta"):
            network = AutoModelForCausalLM.from_config(copy.deepcopy(config))
    except Exception:  # a wrong configuration can cause any error; loading reports it
        return
    count = sum(weight.numel() for weight in network.parameters())
    tables = sum(table.numel() * table.element_size() for table in network.buffers())
    most = stored * (MOST_PACKED_NUMBERS if getattr(config, "quantization_config", None) else MOST_NUMBERS)
    if count > most or tables > MOST_BUFFER_BYTES:
        raise ModelError(
            "The configuration of {name} describes {count} parameters, but its files contain {stored}.",
            name=quoted(name),
            count=count,
            stored=stored,
        )
