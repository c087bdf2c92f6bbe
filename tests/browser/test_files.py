"""Every file that a page offers comes with one press, and holds what is on screen: those that no other test saves."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from core.experiments.shared.result_file import RecordedExperiment
from core.generation.recorded_run import Recording
from pages.ui.experiments import stored_results
from pages.ui.presenting import talk_file
from tests.browser.watching import Watching, download, opened, press, same_text

pytestmark = pytest.mark.browser
At = Callable[..., Any]
ROOT = Path(__file__).parents[2]


def table_of(file: Path) -> pd.DataFrame:
    return pd.read_csv(io.StringIO(file.read_text("utf-8-sig")))


def test_candidates_code_and_the_live_page_of_a_run(visit: Callable[..., Watching], browser: Any, tmp_path: Path) -> None:
    watching = visit("?prompt=The+old+king&seed=11&temperature=1.2")
    written = watching.steps(1, 3)
    page = watching.page
    press(page, "keep")
    kept = Recording.loads(download(page, page.get_by_role("button", name="Recording (JSON)")).read_text("utf-8"))
    listed = table_of(download(page, page.get_by_role("button", name="Candidates (CSV)")))
    assert len(listed) == sum(len(step.candidates) for step in kept.path)
    code = download(page, page.get_by_role("button", name="Code (Python)")).rename(tmp_path / "run.py")
    done = subprocess.run([sys.executable, str(code)], cwd=ROOT, capture_output=True, text=True, timeout=120, env={"PYTHONPATH": str(ROOT)})
    assert "".join(step.text for step in kept.path) in done.stdout, done.stderr
    file = download(page, page.get_by_role("button", name="A live page")).rename(tmp_path / "live.html")
    opened = browser.new_page()
    opened.goto(file.as_uri())
    Watching(opened).until(same_text(written))
    opened.close()


def test_the_tables_of_pages_hold_their_results(at: At) -> None:
    page = at("looping")
    recorded = RecordedExperiment.loads((stored_results.FOLDER / "looping.json.gz").read_bytes(), stored_results.files()).seen[-1]
    table = table_of(download(page, page.locator(".st-key-looping_csv button")))
    assert table.log_probability.tolist() == pytest.approx([tried.log_probability for tried in recorded.remedies])
    assert table.setting.tolist() == [tried.setting for tried in recorded.remedies]
    page = at("think")
    page.locator(".st-key-think_view button").nth(2).click()
    recorded = RecordedExperiment.loads((stored_results.FOLDER / "thinking_budget.json.gz").read_bytes(), stored_results.files())
    button = page.locator(".st-key-thinking_budget_csv button")
    button.wait_for()
    table = table_of(download(page, button))
    assert table.chance.tolist() == pytest.approx([point.chance for point in recorded.seen])
    assert table.tokens.tolist() == [point.tokens for point in recorded.seen]
    page = at("calibration")
    assert len(table_of(download(page, page.locator(".st-key-calibration_csv button")))) > 5
    page = at("read")
    page.locator('[class*="_sure"] summary').first.click()
    button = page.locator('[class*="_sure_csv"] button').first
    button.wait_for()
    opened(page, '[class*="_sure"]')
    parts = table_of(download(page, button))
    assert parts.probability.is_monotonic_increasing and len(parts) > 10


def test_a_talk_is_saved_as_a_file(at: At) -> None:
    page = at("talk")
    file = download(page, page.locator(".st-key-talk_save button"))
    saved = talk_file.loads(file.read_text("utf-8"))
    assert len(saved.stops) == page.locator('[class*="st-key-talk_row_"]').count()
    assert json.loads(file.read_text("utf-8"))
