"""The words and facts that the lessons speak of, from the TOML files beside this one."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any


def read(path: Path) -> dict[str, Any]:
    """Return the content of a TOML file."""
    return tomllib.loads(path.read_text(encoding="utf-8"))


WORDS, FACTS = (read(Path(__file__).with_name(f"{name}.toml")) for name in ("words", "facts"))
