"""Validation of untrusted model files, before memory or minutes are spent on them."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from core.errors import BrokenModel, quoted
from core.language import _, written

# Bytes, several times the largest ones there are. What is read as JSON takes up to fifty times its size in memory.
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
MOST_NUMBERS = 3  # times as many as are stored: a matrix that serves twice is stored once
MOST_PACKED_NUMBERS = 20  # where weights are quantized, up to 16 of 2 bits share a stored number
MOST_BUFFER_BYTES = 2_000_000_000  # tables that are computed, not stored


def check_files(folder: Path, name: str) -> None:
    """Raises BrokenModel for a file that is far larger than any of its kind."""
    for file, most in _LARGEST.items():
        path = folder / file
        if path.is_file() and path.stat().st_size > most:
            size = path.stat().st_size // 1_000_000
            raise BrokenModel(
                _("{file} of {name} has {size} MB, which no such file has, so it is not read.").format(
                    file=file, name=quoted(name), size=written(size)
                )
            )


def check_network(config: Any, stored: int, name: str) -> None:
    """Build the network that this configuration describes without any memory for its numbers, and compare with how many are stored.

    Raises BrokenModel if it would take far more memory than its files hold.
    """
    import torch
    from transformers import AutoModelForCausalLM

    from core.engine.shape import ModelShape

    context = ModelShape.from_config(config).context_length
    if context < 1:
        raise BrokenModel(
            _("The configuration of {name} leaves no room for a text: its context has {context} tokens.").format(
                name=quoted(name), context=written(context)
            )
        )
    try:
        with torch.device("meta"):
            network = AutoModelForCausalLM.from_config(copy.deepcopy(config))
    except Exception:  # whatever a lie makes the network stumble over; loading stumbles over it too, and says so
        return
    count = sum(weight.numel() for weight in network.parameters())
    tables = sum(table.numel() * table.element_size() for table in network.buffers())
    most = stored * (MOST_PACKED_NUMBERS if getattr(config, "quantization_config", None) else MOST_NUMBERS)
    if count > most or tables > MOST_BUFFER_BYTES:
        raise BrokenModel(
            _("The configuration of {name} describes a model of {count} numbers, but its files hold {stored} of them.").format(
                name=quoted(name), count=written(count), stored=written(stored)
            )
        )
