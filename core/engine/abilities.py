"""What an architecture cannot do, in one sentence: the boundary around every pass of an experiment through transformers' network."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

from core.device import is_out_of_memory
from core.errors import NotForThisModel, ViewerError
from core.message import Message


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


def _in_a_network(trace: TracebackType | None) -> bool:
    """Return whether an error passed through a module of transformers or of torch."""
    while trace is not None:
        if str(trace.tb_frame.f_globals.get("__name__")).startswith(("transformers.", "torch.nn.modules.")):
            return True
        trace = trace.tb_next
    return False
