"""What the loading of a model does now, told to the caller that waits for it in the same thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from core.message import Message

READS = Message("Reading the file")
CONVERTS = Message("Converting the weights")
LOADS = Message("Loading the weights")
CHECKS = Message("Checking the results")
MEASURES = Message("Measuring the speed")
SHARES = {READS: (0.0, 0.05), CONVERTS: (0.05, 0.6), LOADS: (0.6, 0.75), CHECKS: (0.75, 0.9), MEASURES: (0.9, 1.0)}  # of the usual time

_TELL: ContextVar[Callable[[Message, float], None] | None] = ContextVar("tell", default=None)


@contextmanager
def telling(tell: Callable[[Message, float], None]) -> Iterator[None]:
    """Call `tell` with what is done and the share of the whole, 0 to 1, while models are loaded within the `with` block."""
    before = _TELL.set(tell)
    try:
        yield
    finally:
        _TELL.reset(before)


def tell(doing: Message, done: float = 0.0) -> None:
    """Say what is done now. done: share of this part, 0 to 1."""
    listener = _TELL.get()
    if listener is not None:
        start, end = SHARES[doing]
        listener(doing, start + done * (end - start))
