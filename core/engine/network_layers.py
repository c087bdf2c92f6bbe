"""The layers of transformers' networks, found by their structure, and hooks on the hidden states between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from core.engine.hooks import Hook, first_of, input_of, with_first, with_input
from core.errors import ModelError
from core.message import Message

NO_LAYERS = Message("The layers of this architecture cannot be found, so their activations cannot be read or changed.")


def layer_modules(network: Any, layer_count: int) -> list[torch.nn.Module]:
    """Return the layers in the order in which they run; empty if the network has no list of layers."""
    lists = [
        (name.count("."), list(module))
        for name, module in network.named_modules()
        if isinstance(module, torch.nn.ModuleList) and len(module) == layer_count
    ]
    return min(lists, key=lambda found: found[0])[1] if lists else []


def checked_layers(network: Any, layer_count: int) -> list[torch.nn.Module]:
    """Return the layers. Raises ModelError if the network has no list of layers."""
    layers = layer_modules(network, layer_count)
    if not layers:
        raise ModelError(NO_LAYERS)
    return layers


def at_layer(modules: Sequence[torch.nn.Module], layer: int, change: Any) -> Hook:
    """Return a hook on the hidden states at a layer: 0 is the input of the first layer, i the output of layer i.

    change(states [rows, tokens, hidden]) returns None, or other states.
    """
    if layer == 0:

        def before(arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
            states = change(input_of(arguments, named))
            return None if states is None else with_input(arguments, named, states)

        return Hook(modules[0], before=before)

    def after(output: Any) -> Any:
        states = change(first_of(output))
        return None if states is None else with_first(output, states)

    return Hook(modules[layer - 1], after=after)
