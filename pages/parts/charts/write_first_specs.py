"""Writes down the charts with which Watch opens: python -m pages.parts.charts.write_first_specs

See `first_specs`, which reads them.
"""

from __future__ import annotations

import inspect
import json
from typing import Any

from core.language import languages, speaking
from pages.parts.charts import charts, step_rows
from pages.parts.charts.first_specs import FILE, Make, name_of


def as_altair_makes_them() -> dict[str, dict[str, Any]]:
    """All that are to be written down, by their names."""
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
                    found[name_of(make, theme, **options)] = json.loads(json.dumps(make(theme, **options)))
    return found


def main() -> None:
    """Write them down."""
    FILE.write_text(json.dumps(as_altair_makes_them(), ensure_ascii=False, separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    main()
