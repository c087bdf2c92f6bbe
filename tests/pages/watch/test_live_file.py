"""The command of the README that writes a live page."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest


def test_its_file_has_all_languages_of_the_app(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "live.html"
    monkeypatch.setattr(sys, "argv", ["live_file", str(file), "--model", "mini"])
    runpy.run_module("pages.watch.live_file", run_name="__main__")
    written = file.read_text("utf-8")
    assert '"en":{' in written and '"de":{' in written and '"Einem Modell zusehen"' in written
