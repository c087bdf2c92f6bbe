"""Teach it, as a page: a sentence is learned, undone, used on other pages; nonsense costs one sentence."""

from __future__ import annotations

import pytest

from tests.pages.apptest import Open, State, press, run_on, see


@pytest.mark.parametrize("text", ["", "   ", "...!"])
def test_nothing_to_learn_is_one_sentence(text: str, open_app: Open, session: State) -> None:
    app = open_app(page="teach")
    app.text_area(key="teach_text").set_value(text).run()
    run_on(press(app, "teach_start"))
    assert [box.value for box in app.info] == ["The training text is empty. Write a sentence or two."]


def test_a_training_ends_when_its_page_is_left(open_app: Open, session: State) -> None:
    app = open_app(page="teach")
    app.select_slider(key="teach_steps").set_value(160).run()
    press(app, "teach_start")
    see(app, "teach", 3)
    worker = session(app).experiments["teach"]
    session(app).open_page("read")  # what app.py says to the session; Streamlit's test runner goes to a page without it
    assert not worker.running and worker.wait(120)
    assert len(worker.about.steps) < 160
