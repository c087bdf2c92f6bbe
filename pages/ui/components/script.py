"""The script of a component, after the functions that several components share."""

from __future__ import annotations

from functools import cache
from pathlib import Path

HERE = Path(__file__).parent


@cache
def with_shared(*scripts: Path) -> str:
    """Return shared.js, followed by a component's own scripts."""
    return "".join(script.read_text("utf-8") for script in (HERE / "shared.js", *scripts))
