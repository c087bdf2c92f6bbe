"""The layers of transformers' networks, found by their structure, and hooks on the hidden states between them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from core.engine.hooks import Hook, first_of, input_of, with_first, with_input
from core.errors import ModelError, NotForThisModel
from core.message import Message

NO_VECTORS = Message(
    "The layers of this architecture do not pass on one vector for each token, so their activations cannot be read or changed."
)
NO_LAYERS = Message("The layers of this architecture cannot be found, so their activations cannot be read or changed.")


def layer_modules(network: Any, layer_count: int) -> list[torch.nn.Module]:
    """Return the layers in the order in which they run; empty if the network has no list of layers."""
    lists = [
        (name.count("."), list(module))
        for name, module in network.named_modules()
        if isinstance(module, torch.nn.ModuleList) and len(module) == layer_count
    ]
    return min(lists, key=lambda entry: entry[0])[1] if lists else []


def checked_layers(network: Any, layer_count: int) -> list[torch.nn.Module]:
    """Return the layers. Raises ModelError if the network has no list of layers."""
    layers = layer_modules(network, layer_count)
    if not layers:
        raise ModelError(NO_LAYERS)
    return layers


def at_layer(modules: Sequence[torch.nn.Module], layer: int, change: Any, tokens: int | None = None) -> Hook:
    """Return a hook on the hidden states at a layer: 0 is the input of the first layer, i the output of layer i.

    change(states [rows, tokens, hidden]) returns None, or other states. tokens: their number, None for any. In a pass, the hook raises
    NotForThisModel for states of another kind.
    """
    if layer == 0:

        def before(arguments: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
            states = change(_checked(input_of(arguments, named), tokens))
            return None if states is None else with_input(arguments, named, states)

        return Hook(modules[0], before=before)

    def after(output: Any) -> Any:
        states = change(_checked(first_of(output), tokens))
        return None if states is None else with_first(output, states)

    return Hook(modules[layer - 1], after=after)


def _checked(states: Any, tokens: int | None) -> torch.Tensor:
    """Return the states. Raises NotForThisModel if they are not one vector, or several if `tokens` is given, for each of the tokens."""
    readable = isinstance(states, torch.Tensor) and (
        states.dim() == 3 if tokens is None else states.dim() > 2 and states.shape[1] == tokens
    )
    if not readable:
        raise NotForThisModel(NO_VECTORS)
    checked: torch.Tensor = states
    return checked
