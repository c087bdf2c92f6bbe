"""What a network takes as its cache, and the tensors in it."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from typing import Any

import torch


def cache_argument(network: Any) -> str | None:
    """Return the name under which this network takes transformers' cache; None if it takes none."""
    accepted = inspect.signature(network.forward).parameters
    return next((name for name in ("past_key_values", "cache_params") if name in accepted), None)


def cache_tensors(layer: Any) -> list[torch.Tensor]:
    """Return each tensor that a layer of transformers' cache keeps, under whatever name its class has for it."""
    kept = (tensor for name, value in vars(layer).items() if not name.startswith("_") for tensor in tensors_in(value))
    return list({id(tensor): tensor for tensor in kept}.values())


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors in a value, also in dictionaries and lists."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from tensors_in(part)
