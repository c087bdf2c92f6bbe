"""The palette of charts, components and theme: the one that reports use, too."""

from __future__ import annotations

from core.reports.palette import DARK, DARKEST, LIGHT, Palette, as_data, of

__all__ = ["DARK", "DARKEST", "LIGHT", "Palette", "as_data", "of"]
