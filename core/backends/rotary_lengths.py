"""Rotary factors that depend on the length of the text, so that keys of a shorter or longer text cannot be reused."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class RotaryLengths:
    """The lengths of a text that share rotary factors. limit: all lengths up to this many tokens share one set.

    Beyond it "longrope" (Phi-3) has a second set for all lengths, "dynamic" (NTK) has one for each length.
    """

    limit: int = sys.maxsize
    each_length: bool = False

    @classmethod
    def of(cls, config: Any) -> RotaryLengths:
        """Return the lengths from the configuration of a text model."""
        for rope in _rope_parameters(config):
            kind = rope.get("rope_type", "default")
            if kind == "dynamic":
                return cls(int(config.max_position_embeddings), each_length=True)
            if kind == "longrope":
                return cls(int(rope["original_max_position_embeddings"]))
        return cls()

    def factors(self, length: int) -> int:
        """Return a number that is equal for two lengths with the same factors; 0 up to the limit."""
        if length <= self.limit:
            return 0
        return length if self.each_length else self.limit + 1


def _rope_parameters(config: Any) -> Iterator[dict[str, Any]]:
    """Yield the rotary parameters of all kinds of layers."""
    parameters = getattr(config, "rope_parameters", None) or {}
    nested = [value for value in parameters.values() if isinstance(value, dict) and "rope_type" in value]
    yield from nested or [parameters]
