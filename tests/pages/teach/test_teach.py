"""Teach it, as a page: a sentence is learned, undone, used on other pages; nonsense costs one sentence."""

from __future__ import annotations

import pytest

from core.errors import NoRoom
from core.experiments.teach import Probe
from pages.teach import finetuning_session
from tests.pages.apptest import Open, State, press, run_on, see


def test_nothing_to_learn_is_one_sentence(open_app: Open) -> None:
    app = open_app(page="teach")
    for text in ("", "   ", "...!"):
        app.text_area(key="teach_text").set_value(text)
        run_on(press(app, "teach_start"))
        assert [box.value for box in app.info] == ["The training text is empty. Write a sentence or two."], text


def test_what_it_wrote_before_is_in_view_while_the_copy_is_made(open_app: Open, session: State, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*_arguments: object) -> None:
        raise NoRoom("No room.")

    monkeypatch.setattr(finetuning_session, "FineTuning", no_room)
    app = run_on(press(open_app(page="teach"), "teach_start"))
    (first,) = session(app).experiments["teach"].observations
    assert isinstance(first, Probe) and any(text.value.endswith(first.written) for text in app.text)


def test_a_training_ends_when_its_page_is_left(open_app: Open, session: State) -> None:
    app = open_app(page="teach")
    app.select_slider(key="teach_steps").set_value(160).run()
    press(app, "teach_start")
    see(app, "teach", 3)
    worker = session(app).experiments["teach"]
    session(app).open_page("read")  # what app.py says to the session; Streamlit's test runner goes to a page without it
    assert not worker.running and worker.wait(120)
    assert len(worker.about.steps) < 160
