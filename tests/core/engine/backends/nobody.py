"""Somebody to wait for compiled code with."""

from __future__ import annotations

from core.engine.backends import compiled


class Nobody:
    """Has no use for compiled code."""

    def use_compiled(self) -> None:
        """Nothing is to be done."""


def fetch_compiled() -> None:
    """Wait until steps and products are compiled."""
    compiled.begin(Nobody())
    assert compiled.wait()
