"""Out-of-memory errors of Python, torch and the operating system become NoRoom with a sentence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

from core.errors import NoRoom
from core.message import Message


def is_out_of_memory(error: BaseException) -> bool:
    """Return whether this is an out-of-memory error of Python, torch or the operating system."""
    text = str(error).lower()
    return isinstance(error, MemoryError | torch.OutOfMemoryError) or "not enough memory" in text or "cannot allocate memory" in text


@contextmanager
def enough_memory(message: Message) -> Iterator[None]:
    """Raise NoRoom with this sentence instead of an out-of-memory error within the block."""
    try:
        yield
    except Exception as error:
        if is_out_of_memory(error):
            raise NoRoom(message) from error
        raise
