"""Forward hooks on transformers' network, in one place: added for a block, and removed at its end, after an error too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import torch


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
