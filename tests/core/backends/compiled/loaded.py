"""Load compiled code for tests."""

from __future__ import annotations

from core.backends import compiled


def load_compiled() -> None:
    """Wait until steps and products are compiled and loaded."""
    compiled.start()
    assert compiled.wait()
