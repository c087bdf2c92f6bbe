"""The specifications of the charts with which Watch opens, written down as Altair makes them; a test holds one to the other.

    python -m pages.parts.charts.first_specs

writes them anew. Whoever asks for other rows, another axis or another page has Altair make them.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any

from core.language import current, languages, speaking

FILE = Path(__file__).with_suffix(".json")
Make = Callable[..., dict[str, Any]]


def written_down(make: Make) -> Make:
    """A chart that is taken from the file where it is there with these options, and made where not."""

    @wraps(make)
    def found(*args: Any, **options: Any) -> dict[str, Any]:
        known = _kept().get(_name(make, *args, **options))
        return make(*args, **options) if known is None else known

    return found


def _name(make: Make, *args: Any, **options: Any) -> str:
    asked = inspect.signature(make).bind(*args, **options)
    asked.apply_defaults()
    return f"{make.__name__} {current()} {json.dumps(asked.arguments)}"


@cache
def _kept() -> dict[str, dict[str, Any]]:
    return dict(json.loads(FILE.read_text("utf-8"))) if FILE.exists() else {}


def as_altair_makes_them() -> dict[str, dict[str, Any]]:
    """All that are to be written down, by their names."""
    from pages.parts.charts import charts, step_rows

    asked: list[tuple[Make, dict[str, Any]]] = [
        (charts.distribution, {"rows": step_rows.USUAL + 1, "logarithmic": False}),
        (charts.notepad, {}),
        (charts.step_time, {}),
        (charts.surprise, {}),
    ]
    found = {}
    for code in languages():
        with speaking(code):
            for chart, options in asked:
                make = inspect.unwrap(chart)
                for theme in ("light", "dark"):
                    found[_name(make, theme, **options)] = json.loads(json.dumps(make(theme, **options)))
    return found


def main() -> None:
    """Write them down."""
    FILE.write_text(json.dumps(as_altair_makes_them(), ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
