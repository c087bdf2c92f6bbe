"""Parts that moved to another page: their files, cards and addresses still lead to them."""

from __future__ import annotations

import pytest

from pages.gallery import gallery
from tests.pages.apptest import Open, press

MOVED = [("compare_stream", "waiting"), ("quantization_notepad", "memory"), ("newborn", "training"), ("teach_step", "training")]


@pytest.mark.parametrize(("name", "page"), MOVED)
def test_a_saved_experiment_is_shown_on_its_new_page(name: str, page: str) -> None:
    assert gallery.result_of(name).page == page


def test_the_card_of_the_new_model_opens_the_view_in_which_it_stands(open_app: Open) -> None:
    app = press(open_app(page="gallery"), "gallery_open_newborn")
    assert app.text_area(key="newborn_text").value
