"""The layers of transformers' networks, found by their structure, and hooks on the hidden states between them.

Hooks are added for a block and removed at its end, after an error too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch

from core.errors import ModelError, NotForThisModel
from core.message import Message

NO_VECTORS = Message(
    "The layers of this architecture do not pass on one vector for each token, so their activations cannot be read or changed."
)
NO_LAYERS = Message("The layers of this architecture cannot be found, so their activations cannot be read or changed.")


class Hook(NamedTuple):
    """What to do at a module.

    before(arguments, named) sees or changes the input of the module: it returns None, or both, changed. after(output) sees or changes
    the output: it returns None, or another output.
    """

    module: torch.nn.Module
    before: Callable[[tuple[Any, ...], dict[str, Any]], tuple[tuple[Any, ...], dict[str, Any]] | None] | None = None
    after: Callable[[Any], Any] | None = None


@contextmanager
def hooked(hooks: Iterable[Hook]) -> Iterator[None]:
    """Apply the hooks to every pass in the block. The caller holds the engine's lock, because no other pass may run at the same time."""
    handles = []
    try:
        for hook in hooks:
            if hook.before is not None:
                handles.append(hook.module.register_forward_pre_hook(_before(hook.before), with_kwargs=True))
            if hook.after is not None:
                handles.append(hook.module.register_forward_hook(_after(hook.after)))
        yield
    finally:
        for handle in handles:
            handle.remove()


def _before(function: Callable[..., Any]) -> Any:
    return lambda _module, arguments, named: function(arguments, named)


def _after(function: Callable[[Any], Any]) -> Any:
    return lambda _module, _arguments, output: function(output)


def first_of(output: Any) -> Any:
    """Return the hidden states of a module's output: the output itself, or the first of several."""
    return output[0] if isinstance(output, tuple | list) and output else output


def with_first(output: Any, states: torch.Tensor) -> Any:
    """Return the output of a module with other hidden states."""
    return type(output)([states, *output[1:]]) if type(output) in (tuple, list) else states


def input_of(arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Return the hidden states that a module gets."""
    return arguments[0] if arguments else named.get("hidden_states")


def with_input(arguments: tuple[Any, ...], named: dict[str, Any], states: torch.Tensor) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the input of a module with other hidden states."""
    return ((states, *arguments[1:]), named) if arguments else (arguments, named | {"hidden_states": states})


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
