"""A page is taken away, in a copy of the project, by deleting what has its name: everything else imports and draws."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pages.ui import features
from pages.ui.experiments import stored_results
from pages.ui.presenting import prepared_talks

ROOT = Path(__file__).parents[1]
OF_A_PAGE = ("pages/{}", "core/experiments/{}", "core/experiments/{}.py")
OPENED = ("core", "core/bundled", "core/bundled/experiments", "core/experiments", "pages")  # folders whose entries are linked one by one
USE = """
import os, sys
from importlib import import_module
from pathlib import Path
from streamlit.testing.v1 import AppTest
from core.errors import BadRecording
from pages.gallery import gallery
from pages.ui import features
from pages.ui.presenting import prepared_talks, tour_texts

gone, missing_stops, *saved = sys.argv[1:]
files = [Path(folder, name) for top in ("core", "pages") for folder, _, names in os.walk(top, followlinks=True) for name in names]
for file in sorted(files):
    if file.suffix == ".py" and file.name not in ("page.py", "__main__.py") and "recipe" not in file.parts:
        import_module(".".join(file.with_suffix("").parts).removesuffix(".__init__"))

def shown():
    assert not app.exception, app.exception
    return " ".join(str(element.proto) for element in app.main if hasattr(element, "proto"))

app = AppTest.from_file("app.py", default_timeout=120).run()
pages = {"watch": shown()}
for path in features.features():
    app.switch_page(f"pages/{path}/page.py").run()
    pages[path] = shown()
assert gone not in pages and len(pages) > 25
assert gone not in tour_texts.STOPS.values() and all(tour_texts.voice(name) for name in tour_texts.VOICES)
line = f"the talks leave them out: {missing_stops}."
assert (line in pages["talk"]) == bool(missing_stops) and ("leave them out" in pages["talk"]) == bool(missing_stops)
for name in saved:
    try:
        gallery.open_file(Path(name).read_bytes())
    except BadRecording as error:
        assert str(error) == "This experiment belongs to a page that this app does not have."
    else:
        raise AssertionError(name)
    assert f"gallery_open_{Path(name).name.partition('.')[0]}" not in pages["gallery"]
print("the rest draws")
"""


def results_of(page: str) -> list[str]:
    """The bundled results that the declaration of a page names."""
    return [f"{result.name}{stored_results.ENDING}" for result in features.feature_of(page).recorded]


def copy_without(page: str, folder: Path) -> None:
    """Lay links to everything into a folder but to what belongs to this page."""
    left_out = {ROOT / name.format(page) for name in OF_A_PAGE} | {stored_results.FOLDER / name for name in results_of(page)}
    for name in OPENED:
        (folder / name).mkdir()
        for path in (ROOT / name).iterdir():
            if str(path.relative_to(ROOT)) not in OPENED and path.name != "__pycache__" and path not in left_out:
                (folder / name / path.name).symlink_to(path)
    for name in ("app.py", ".streamlit"):
        (folder / name).symlink_to(ROOT / name)


@pytest.mark.parametrize(
    "page",
    [
        pytest.param("cache", marks=pytest.mark.slow),  # with recorded results, one of them in the tour
        pytest.param("what_if", marks=pytest.mark.exhaustive),  # in a talk
        pytest.param("stage", marks=pytest.mark.exhaustive),  # with a vote
    ],
)
def test_everything_else_draws_without_a_page(page: str, tmp_path: Path) -> None:
    copy_without(page, tmp_path)
    stops = ", ".join(title for title, stop in prepared_talks.STOPS.items() if stop.page == page)
    saved = [str(stored_results.FOLDER / name) for name in results_of(page)]
    used = subprocess.run([sys.executable, "-c", USE, page, stops, *saved], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert used.returncode == 0 and "the rest draws" in used.stdout, used.stderr[-3000:]
