"""The bytes of a KV cache, measured in its arrays. `ModelShape.cache_bytes` computes them from a shape."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import torch


class CacheBytes(NamedTuple):
    """used: of the tokens' keys and values, or what an architecture keeps instead. held: allocated, with the reserve for later tokens."""

    used: int
    held: int


def bytes_of_layers(layers: Iterable[Any]) -> CacheBytes:
    """Return the bytes of these layers of a transformers cache. A tensor that was cut is a view, whose storage is still held."""
    tensors = [tensor for layer in layers for tensor in cache_tensors(layer)]
    storages = {storage.data_ptr(): storage.nbytes() for storage in (tensor.untyped_storage() for tensor in tensors)}
    return CacheBytes(sum(tensor.numel() * tensor.element_size() for tensor in tensors), sum(storages.values()))


def bytes_of_arrays(arrays: Iterable[tuple[np.ndarray, int, int]]) -> CacheBytes:
    """Return the bytes of arrays with a reserve: (array, tokens that fit, tokens used) each."""
    used = held = 0
    for array, reserve, tokens in arrays:
        used, held = used + array.nbytes // max(1, reserve) * tokens, held + array.nbytes
    return CacheBytes(used, held)


def cache_tensors(layer: Any) -> list[torch.Tensor]:
    """Return each tensor that a layer of transformers' cache keeps, under whatever name its class has for it."""
    tensors = (tensor for name, value in vars(layer).items() if not name.startswith("_") for tensor in tensors_in(value))
    return list({id(tensor): tensor for tensor in tensors}.values())


def tensors_in(value: Any) -> Iterator[torch.Tensor]:
    """Yield the tensors in a value, also in dictionaries and lists."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict | list | tuple):
        for part in value.values() if isinstance(value, dict) else value:
            yield from tensors_in(part)
