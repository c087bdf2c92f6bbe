"""One Tab stop for a group of words or bars: the script that components with such a group put before their own."""

from __future__ import annotations

from functools import cache
from pathlib import Path

HERE = Path(__file__).parent


@cache
def with_roving(script: Path) -> str:
    """A component's own script, with `roving(group, find)` before it."""
    return (HERE / "roving.js").read_text("utf-8") + script.read_text("utf-8")
