"""Attention heads of transformers' networks: found by structure, and switched off while a pass runs (head ablation).

The output projection of an attention module is the last matrix that a pass multiplies with in it. Its input holds the outputs of all heads
side by side, so that it divides into heads.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import torch

from core.engine.network_layers import Hook, checked_layers, hooked, input_of, with_input
from core.engine.shape import ModelShape
from core.errors import InputError, ModelError
from core.message import Message

NO_HEADS = Message("This architecture has no attention heads, so none can be switched off.")
LATENT = Message("The heads of this architecture share one compressed key and value, so they cannot be taken apart here.")
SOME_HEADS = Message("Not every layer of this architecture has attention heads of the usual kind, so they cannot be taken apart here.")

Head = tuple[int, int]  # layer and head, both from 0

_found: WeakKeyDictionary[Any, tuple[HeadOutputs, ...]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True, eq=False)
class HeadOutputs:
    """The output projection of one layer's attention. Its input [..., heads * size] holds the heads' outputs side by side."""

    projection: torch.nn.Module
    heads: int
    size: int

    def matrix(self) -> torch.Tensor:
        """Return the projection's weight as float32 [hidden, heads * size], however it is stored."""
        weight: Any = self.projection.weight
        return (weight.T if hasattr(self.projection, "nf") else weight).detach().float()


def head_outputs(network: Any, shape: ModelShape) -> tuple[HeadOutputs, ...]:
    """Return the output projection of every layer's attention. The caller holds the engine's lock, because this runs a short pass.

    Raises ModelError, with the reason, if the heads of this architecture cannot be separated.
    """
    if shape.attention_layers == 0:
        raise ModelError(NO_HEADS)
    if shape.latent_size:
        raise ModelError(LATENT)
    outputs = _found.get(network)
    if outputs is None:
        outputs = _found[network] = tuple(_projections(network, shape))
    return outputs


def _projections(network: Any, shape: ModelShape) -> list[HeadOutputs]:
    """Run one token through the network and note the last matrix in the attention module of each layer."""
    last: dict[int, torch.nn.Module] = {}

    def note(index: int, module: torch.nn.Module) -> Hook:
        return Hook(module, before=lambda _arguments, _named: last.__setitem__(index, module))

    hooks = []
    for index, layer in enumerate(checked_layers(network, shape.layer_count)):
        for part in layer.modules():
            if hasattr(part, "head_dim") or hasattr(part, "head_size"):
                hooks += [note(index, matrix) for matrix in part.modules() if _sizes(matrix) is not None]
    with torch.inference_mode(), hooked(hooks):
        network(torch.zeros((1, 1), dtype=torch.long, device=network.get_input_embeddings().weight.device))
    outputs = []
    for index in range(shape.layer_count):
        sizes = _sizes(last[index]) if index in last else None
        if sizes is None or sizes[1] != shape.hidden_size or sizes[0] % shape.head_count:
            raise ModelError(SOME_HEADS)
        outputs.append(HeadOutputs(last[index], shape.head_count, sizes[0] // shape.head_count))
    return outputs


def _sizes(module: Any) -> tuple[int, int] | None:
    """Return how many numbers a matrix takes and gives; None for another module."""
    for inward, outward in (("in_features", "out_features"), ("nx", "nf")):
        if hasattr(module, inward) and hasattr(module, outward):
            return int(getattr(module, inward)), int(getattr(module, outward))
    return None


def switch_off(part: HeadOutputs, off: torch.Tensor, value: torch.Tensor | None = None) -> Hook:
    """Return the hook that replaces heads' outputs. off: [rows, heads], which heads in which text; value: [heads, size], None is zero."""

    def before(arguments: tuple[object, ...], named: dict[str, object]) -> tuple[tuple[object, ...], dict[str, object]]:
        given: torch.Tensor = input_of(arguments, named)
        outputs = given.reshape(len(off), -1, part.heads, part.size)
        other = torch.zeros((), dtype=given.dtype, device=given.device) if value is None else value.to(given)
        return with_input(arguments, named, torch.where(off[:, None, :, None], other, outputs).reshape(given.shape))

    return Hook(part.projection, before=before)


def checked_heads(heads: Iterable[Head], layers: int, count: int) -> list[Head]:
    """Return the heads, each once, in order. Raises InputError for a head that is not there."""
    checked = sorted({(int(layer), int(head)) for layer, head in heads})
    for layer, head in checked:
        if not (0 <= layer < layers and 0 <= head < count):
            message = Message("There is no head {head} in layer {layer}: this model has {layers} layers with {count} heads each.")
            raise InputError(message.with_values(head=head + 1, layer=layer + 1, layers=layers, count=count))
    return checked
