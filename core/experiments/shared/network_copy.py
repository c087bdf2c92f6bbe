"""A copy of a model's network, for passes with changed weights."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any

import psutil

from core.device import enough_memory
from core.engine.architecture_limits import possible_with
from core.engine.model import LanguageModel
from core.errors import NoRoom
from core.message import Message

GROUP = 32  # numbers that share a scale, unless a whole row does
NO_MATRICES = Message("The weight matrices of this architecture cannot be found, so they cannot be quantized.")


@contextmanager
def turn(model: LanguageModel) -> Iterator[None]:
    """Context of a pass with a copy of the model's network. Raises NoRoom, and NotForThisModel for an architecture that cannot do it."""
    too_large = Message("There is not enough memory for {model} and a copy of it, or for these texts.", model=model.name)
    with enough_memory(too_large), possible_with(model.name), model.engine.lock.acquire():
        yield


def network_copy(model: LanguageModel, shares: bool = False) -> Any:
    """Return a copy of the model's network. shares: with the weights of the original. Raises NoRoom."""
    original = model.load_network()
    if not shares and model.device == "cpu" and psutil.virtual_memory().available < 6 * model.parameter_count:
        raise NoRoom("A second copy of {model} does not fit into memory. Choose a smaller model.", model=model.name)
    with turn(model):
        return copy.deepcopy(original, {id(held): held for held in chain(original.parameters(), original.buffers()) if shares})
