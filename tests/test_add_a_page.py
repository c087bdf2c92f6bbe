"""A page with an experiment is added as CONTRIBUTING says, in a copy of the project: its blocks alone make a page that draws."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
USE = """
from streamlit.testing.v1 import AppTest
from core import SamplingSettings, load_model
from pages.ui.features import features, recorded

def shown():
    assert not app.exception, app.exception
    return " ".join(str(element.proto) for element in app.main if hasattr(element, "proto"))

app = AppTest.from_file("app.py", default_timeout=120).run()
app.switch_page("pages/echo/page.py").run()
if recording := [result for result in recorded() if result.name == "echo"]:
    app.button(key="echo_start").click().run()
    worker = app.session_state["_session"].experiments["echo"]
    assert worker.wait(60)
    app.run()
    assert len(worker.seen) == 20 and "How surprising" in shown() and "echo_bars" in shown()
else:
    assert "What comes next?" in shown() and "echo_odds" in shown()
assert features()["echo"].title == "Echo"
for result in recording:
        from core.experiments.echo import echo
        seen = list(echo(load_model("storyteller"), "Once", SamplingSettings(), 3))
        assert result.seen is type(seen[0]) and result.claim.holds(seen) and not result.claim.holds(seen[1:])
print("it draws")
"""


def blocks(file: str) -> list[str]:
    """The blocks of CONTRIBUTING for this file."""
    return re.findall(rf"```python\n# {re.escape(file)}\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.DOTALL)


def copy_of_the_project(folder: Path) -> None:
    """Lay links to everything into a folder; pages and experiments get folders of their own, for new files."""
    for name in ("core", "core/experiments", "pages"):
        (folder / name).mkdir()
        for path in (ROOT / name).iterdir():
            if path.name not in ("experiments", "__pycache__") or name == "pages":
                (folder / name / path.name).symlink_to(path)
    for name in ("app.py", ".streamlit"):
        (folder / name).symlink_to(ROOT / name)


@pytest.mark.parametrize("declaration", [0, 1], ids=["a page", "a page with an experiment"])
def test_the_blocks_of_contributing_are_a_page(declaration: int, tmp_path: Path) -> None:
    copy_of_the_project(tmp_path)
    declared = blocks("pages/echo/__init__.py")
    assert len(declared) == 2
    (page,) = blocks(["pages/echo/page.py", "pages/echo/page.py, with the experiment"][declaration])
    (experiment,) = blocks("core/experiments/echo.py")
    (tmp_path / "pages" / "echo").mkdir()
    files = {"pages/echo/__init__.py": declared[declaration], "pages/echo/page.py": page, "core/experiments/echo.py": experiment}
    for file, text in files.items():
        (tmp_path / file).write_text(f'"""A page of a test."""\n\n{text}', "utf-8")
    used = subprocess.run([sys.executable, "-c", USE], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert used.returncode == 0 and "it draws" in used.stdout, used.stderr[-3000:]
