"""Load compiled code, or switch it off, for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from core.backends import compiled


def load_compiled() -> None:
    """Wait until steps, products and sampling are compiled and loaded."""
    compiled.start()
    assert compiled.wait()


@contextmanager
def numpy_alone() -> Iterator[None]:
    """Switch compiled code off inside this block."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOKEN_VIEWER_COMPILED", "0")
        yield
