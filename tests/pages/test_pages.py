"""Every page opens, by the menu, without a fault."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from streamlit.testing.v1 import AppTest

from pages.parts.layout.navigation import OPERATOR_PAGE, PAGES, ROOT


@pytest.mark.parametrize("file", [file for _, file, _, _ in PAGES])
def test_a_page_opens(open_app: Callable[..., AppTest], file: str) -> None:
    app = open_app(page=file)
    assert not app.exception


def test_every_page_in_the_folder_is_in_the_menu() -> None:
    files = {path.name for path in (ROOT / "pages").glob("*.py")} - {"__init__.py"}
    assert files == {file for _, file, _, _ in PAGES} | {OPERATOR_PAGE.name}


@pytest.mark.parametrize("file", [file for _, file, _, _ in PAGES])
def test_every_page_is_ready_for_a_cold_start(file: str) -> None:
    text = (ROOT / "pages" / file).read_text("utf-8")
    assert "frame.page()" in text
    assert "session_state" not in text, "the visitor's state belongs to pages/parts/session/current.py"
