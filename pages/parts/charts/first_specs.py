"""The specifications of the charts with which Watch opens, written down as Altair makes them; a test holds one to the other.

    python -m pages.parts.charts.write_first_specs

writes them anew. Whoever asks for other rows, another axis or another page has Altair make them.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any

from core import language

FILE = Path(__file__).with_suffix(".json")
Make = Callable[..., dict[str, Any]]


def written_down(make: Make) -> Make:
    """A chart that is taken from the file where it is there with these options, and made where not."""

    @wraps(make)
    def found(*args: Any, **options: Any) -> dict[str, Any]:
        known = _kept().get(name_of(make, *args, **options))
        return make(*args, **options) if known is None else known

    return found


def name_of(make: Make, *args: Any, **options: Any) -> str:
    """Under which name a chart with these options stands in the file, in the language of whoever reads it."""
    asked = inspect.signature(make).bind(*args, **options)
    asked.apply_defaults()
    return f"{make.__name__} {language.current()} {json.dumps(asked.arguments)}"


@cache
def _kept() -> dict[str, dict[str, Any]]:
    return dict(json.loads(FILE.read_text("utf-8"))) if FILE.exists() else {}
