"""Layers with the same attention: the sizes from which cache memory and attention work follow."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AttentionLayers:
    """A group of layers with the same attention. `ModelShape.attention` has one group for each kind of layer.

    layer_count: layers in this group. cached_numbers: numbers that one layer keeps per token; 0 for layers that read the keys and values of
    an earlier layer. pair_multiply_adds: multiply-adds of one token and layer for each position it attends to. window: positions that a
    token attends to, its own too; the cache keeps one less. None: all.
    """

    layer_count: int
    cached_numbers: int
    pair_multiply_adds: int
    window: int | None = None

    def cached_positions(self, tokens: int) -> int:
        """Return how many of `tokens` positions one layer keeps."""
        return tokens if self.window is None else min(tokens, self.window - 1)

    def attended_positions(self, computed: int, reused: int) -> int:
        """Return to how many positions, its own too, each of `computed` tokens after `reused` others attends in one layer, added up."""
        last = reused + computed
        if self.window is None or last <= self.window:
            return (last * (last + 1) - reused * (reused + 1)) // 2  # (reused + 1) + (reused + 2) + ...
        if reused >= self.window:
            return computed * self.window
        return (self.window * (self.window + 1) - reused * (reused + 1)) // 2 + (last - self.window) * self.window
