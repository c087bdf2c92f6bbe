"""The command of the README that writes a live page."""

from __future__ import annotations

from pathlib import Path

from pages.watch import live_file


def test_its_file_has_all_languages_of_the_app(tmp_path: Path) -> None:
    file = tmp_path / "live.html"
    live_file.write([str(file), "--model", "mini"])
    written = file.read_text("utf-8")
    assert '"en":{' in written and '"de":{' in written and '"Einem Modell zusehen"' in written
