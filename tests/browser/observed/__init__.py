"""For every experiment: what its page must draw of an observation. `DRAWN[name](drawn, kept)` compares marks, words and cells with it.

The checks of a page are functions in the file with its name, each with the name of a result.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from core.experiments.shared.result_file import RecordedExperiment
from pages.ui import features
from tests.browser.drawn import Drawn

Check = Callable[[Drawn, RecordedExperiment], None]


def _checks() -> dict[str, Check]:
    checks: dict[str, Check] = {}
    for path in features.paths():
        if Path(__file__).with_name(f"{path}.py").exists():
            module = import_module(f"{__name__}.{path}")
            checks |= {
                result.name: getattr(module, result.name) for result in features.feature_of(path).recorded if hasattr(module, result.name)
            }
    return checks


DRAWN = _checks()
