"""Altair, imported when a chart has to be made: those of the first page are written down (`first_specs`).

Its import takes as long as drawing that page does. It holds every part of a chart against a schema when the part is made; that is for
those who write charts, so only the tests have it on.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from core.late_imports import LATE_IMPORTS

if TYPE_CHECKING:
    import altair as alt
else:

    class _Late:
        """The module, as soon as something of it is asked for."""

        def __getattr__(self, name: str) -> Any:
            return getattr(fetch(), name)

    alt = _Late()

__all__ = ["alt", "fetch"]

VALIDATES = False  # whether charts are held against the schema; before Altair comes, and by its name in this module
_here: list[Any] = []


def fetch() -> Any:
    """Altair. The first call imports it."""
    if not _here:
        with LATE_IMPORTS:
            altair = import_module("altair")
            if not VALIDATES:
                import_module("altair.utils.schemapi").disable_debug_mode()
            _here[:] = [altair]
    return _here[0]
