"""What is written down of the first page's charts is what Altair makes of them, and that page comes without Altair."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

from core.language import languages, speaking
from pages.parts.charts import charts, first_specs, step_rows, write_first_specs

ROOT = Path(__file__).parents[4]
OPENED = """
import sys
from streamlit.testing.v1 import AppTest
from pages.parts.runtime import preload
preload.AFTER = 60.0
preload.begin()
app = AppTest.from_file("app.py", default_timeout=120).run()
assert not app.exception
print([name for name in ("altair", "transformers", "huggingface_hub") if name in sys.modules])
"""


def test_they_are_what_altair_makes_of_them() -> None:
    """Written anew by `python -m pages.parts.charts.write_first_specs`."""
    assert json.loads(first_specs.FILE.read_text("utf-8")) == write_first_specs.as_altair_makes_them()


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("code", sorted(languages()))
def test_a_chart_is_the_same_with_and_without_the_file(code: str, theme: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with speaking(code):
        for chart in (charts.distribution, charts.notepad, charts.step_time, charts.surprise):
            make = inspect.unwrap(chart)
            for options in ({}, {"rows": step_rows.USUAL + 1}, {"rows": 5, "logarithmic": True}) if chart is charts.distribution else ({},):
                assert json.dumps(first_specs.written_down(make)(theme, **options)) == json.dumps(make(theme, **options))


def test_without_the_file_altair_makes_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(first_specs, "FILE", tmp_path / "none.json")
    first_specs._kept.cache_clear()
    try:
        make = inspect.unwrap(charts.surprise)
        assert first_specs.written_down(make)("light") == make("light")
    finally:
        first_specs._kept.cache_clear()


def test_the_first_page_needs_neither_altair_nor_transformers() -> None:
    done = subprocess.run([sys.executable, "-c", OPENED], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
