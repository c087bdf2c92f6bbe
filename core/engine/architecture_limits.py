"""What an architecture cannot do, in one sentence: the boundary around every pass of an experiment through transformers' network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

from core.device import is_out_of_memory
from core.errors import NotForThisModel, ViewerError
from core.message import Message

if TYPE_CHECKING:
    from core.engine.model import LanguageModel

LOOKS_AHEAD = Message(
    "The architecture of {model} lets a token see the tokens behind it, so one pass does not give the probabilities along a text. "
    "Choose another model."
)


@contextmanager
def possible_with(name: str) -> Iterator[None]:
    """Raise NotForThisModel instead of an error from inside of the network of the model with this name.

    An error of a hook that the network calls counts, too. Errors of memory, and those of code outside of the network, stay as they are.
    """
    try:
        yield
    except ViewerError:
        raise
    except Exception as error:
        if is_out_of_memory(error) or not _in_a_network(error.__traceback__):
            raise
        message = Message("{model} cannot do this, because its architecture differs from most. Choose another model.", model=name)
        raise NotForThisModel(message) from error


def looks_ahead(model: LanguageModel) -> bool:
    """Return whether this model's probabilities after a token change with later tokens; see `TransformersBackend.looks_ahead`."""
    from core.backends.transformers_backend import backend_of  # imports transformers, which takes seconds

    backend = backend_of(model)
    with possible_with(model.name), model.engine.lock.acquire():
        return backend.looks_ahead()


def must_read_forward(model: LanguageModel) -> None:
    """Raise NotForThisModel for a model that looks ahead, whose passes say nothing about the places before the last token."""
    if looks_ahead(model):
        raise NotForThisModel(LOOKS_AHEAD.with_values(model=model.name))


def _in_a_network(trace: TracebackType | None) -> bool:
    """Return whether an error passed through a module of transformers or of torch."""
    while trace is not None:
        if str(trace.tb_frame.f_globals.get("__name__")).startswith(("transformers.", "torch.nn.modules.")):
            return True
        trace = trace.tb_next
    return False
