"""Every error of core is one sentence for the visitor, and core is cheap to import."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from core import errors

ROOT = Path(__file__).parents[2]
KINDS = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_every_error_is_a_viewer_error_that_explains_itself(kind: type[Exception]) -> None:
    assert issubclass(kind, errors.ViewerError)
    assert (kind.__doc__ or "").strip().endswith(".")
    assert str(kind("One sentence.")) == "One sentence."


def run(program: str) -> str:
    return subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True).stdout


HEAVY = "[name for name in ('torch', 'transformers', 'streamlit', 'altair', 'pandas') if name in sys.modules]"


def test_importing_core_loads_nothing_heavy() -> None:
    assert run(f"import sys, core, core.errors, core.settings; print({HEAVY})").strip() == "[]"


def test_listing_the_models_and_turning_settings_needs_no_torch() -> None:
    assert run(f"import sys, core; core.list_models(); core.SamplingSettings(top_k=3); print({HEAVY})").strip() == "[]"
