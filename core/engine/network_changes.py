"""Changes to a network while it writes: a steering vector added at a layer, and attention heads that are switched off.

A changed pass runs on transformers' network, because the compiled one has no place for a hook.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from core.backends.transformers_backend import TransformersBackend, backend_of
from core.engine.architecture_limits import possible_with
from core.engine.model import LanguageModel
from core.engine.network_layers import at_layer, checked_layers, hooked
from core.engine.switched_off_heads import Head, checked_heads, head_outputs, switch_off
from core.errors import BadSetting
from core.sources.capabilities import Can, require

STRONGEST = 1_000.0


@dataclass(frozen=True, slots=True, eq=False)
class Steering:
    """A vector [hidden] that is added to the hidden states at a layer, times a strength, at every position.

    layer: 0 is the input of the first layer, i the output of layer i.
    """

    vector: np.ndarray
    layer: int
    strength: float = 1.0


class Changes:
    """What is changed in a model's passes. key: equal keys give equal numbers, so that a cache knows what it was computed with.

    Raises ModelError for a model on a server or whose layers or heads cannot be found, BadSetting for an invalid vector, layer or strength,
    InputError for a head that is not there.
    """

    def __init__(self, model: LanguageModel, steering: Steering | None = None, without_heads: Iterable[Head] = ()) -> None:
        require(model, Can.NETWORK)
        heads = list(without_heads)
        self._name, self._network = model.name, model.load_network()
        self.backend: TransformersBackend = backend_of(model)
        self._steering = None if steering is None else _checked(steering, model)
        self._modules = checked_layers(self._network, model.layer_count)
        with model.engine.lock.acquire():
            self._parts = head_outputs(self._network, model.shape) if heads else ()
        self._heads = checked_heads(heads, len(self._parts), self._parts[0].heads if self._parts else 0)
        steered = None if self._steering is None else (self._steering.vector.tobytes(), self._steering.layer, self._steering.strength)
        self.key = (steered, tuple(self._heads))

    @contextmanager
    def applied(self) -> Iterator[None]:
        """Apply the changes to every pass in the block. The caller holds the engine's lock."""
        hooks = []
        for layer in sorted({layer for layer, _head in self._heads}):
            part = self._parts[layer]
            off = torch.tensor([[(layer, head) in self._heads for head in range(part.heads)]])
            hooks.append(switch_off(part, off.to(part.matrix().device)))
        if self._steering is not None:
            hooks.append(at_layer(self._modules, self._steering.layer, _adding(self._steering)))
        with hooked(hooks), possible_with(self._name):
            yield


def _adding(steering: Steering) -> Any:
    """Return the function that adds the vector to hidden states [rows, tokens, hidden]."""
    vector = torch.from_numpy(steering.vector * steering.strength)
    return lambda states: states + vector.to(states)


def _checked(steering: Steering, model: LanguageModel) -> Steering:
    """Return the steering with a float32 vector. Raises BadSetting."""
    try:
        vector = np.array(steering.vector, dtype=np.float32)
        layer, strength = int(steering.layer), float(steering.strength)
    except (TypeError, ValueError) as error:
        raise BadSetting("A steering needs a vector of numbers, the number of a layer, and a strength.") from error
    if vector.shape != (model.shape.hidden_size,) or not np.isfinite(vector).all():
        raise BadSetting("A steering vector of this model has {count} finite numbers.", count=model.shape.hidden_size)
    if not 0 <= layer <= model.layer_count:
        raise BadSetting("A steering vector is added at layer 0 to {last}, not {layer}.", last=model.layer_count, layer=layer)
    if not abs(strength) <= STRONGEST:
        raise BadSetting("The strength of a steering vector is at most {most}.", most=int(STRONGEST))
    return Steering(vector, layer, strength)
