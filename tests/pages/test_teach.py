"""Teach it, as a page: a sentence is learned, undone, used on other pages; nonsense costs one sentence; a newborn grows up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.experiments.teach import LOOK_EVERY
from core.experiments.training_step import fingerprint
from core.finetuning.finetune import KEPT_BYTES
from core.models.archive import open_zip, zip_of
from tests.pages.apptest import run_on, said, see

Open = Callable[..., AppTest]
Session = Callable[[AppTest], Any]


def taught(open_app: Open, steps: int = 5, share: int = 0) -> AppTest:
    app = open_app(page="teach.py")
    app.select_slider(key="teach_steps").set_value(steps)
    app.segmented_control(key="teach_rate").set_value("hard")
    app.select_slider(key="teach_share").set_value(share).run()
    app.button(key="teach_start").click().run()
    return run_on(app)


@pytest.mark.slow
def test_a_name_is_learned_used_everywhere_and_undone(open_app: Open, session: Session) -> None:
    app = taught(open_app)
    known = session(app).results["teach"].about
    shared = fingerprint(known.model.network)
    assert [step.index for step in known.steps] == [1, 2, 3, 4, 5]
    assert known.looks[-1].distribution.candidates[0].piece == "␣Anna", "the name is the favourite"
    assert "Anna" in known.looks[-1].written and "Anna" not in known.looks[0].written
    usual = 1 + 20 // LOOK_EVERY  # moments of a lesson as the page offers it
    assert usual * known.tuning.kept_bytes / len(known.tuning.moments) <= KEPT_BYTES, "there is a way back to each of them"
    assert "measured" in said(app)
    app.text_input(key="teach_name").set_value("Anna's own").run()
    app.button(key="teach_use_it").click().run()
    assert list(session(app).taught) == ["Anna's own"]
    assert app.session_state["model"] == "Anna's own"
    assert fingerprint(known.model.network) == shared, "nobody else's model has changed"
    model = session(app).taught["Anna's own"]
    again = open_zip(zip_of(model))
    assert fingerprint(again.network) == fingerprint(model.network)
    known.picked = 2
    app.run()
    dropped = known.tuning._moments.pop(2)  # as when many learn at once: they share the room for earlier moments
    app.run()
    assert not [button for button in app.button if button.key == "teach_undo"]
    assert "There is a way back to these steps: 0, " in said(app)
    known.tuning._moments[2] = dropped
    app.run()
    app.button(key="teach_undo").click().run()
    assert known.tuning.index == 2 and known.tuning.moments[-1] == 2
    app.button(key="teach_one").click().run()
    run_on(app)
    assert [step.index for step in known.steps] == [1, 2, 3]
    app.switch_page("../../pages/watch.py").run()
    assert not app.exception


@pytest.mark.parametrize("text", ["", "   ", "...!"])
def test_nothing_to_learn_is_one_sentence(text: str, open_app: Open, session: Session) -> None:
    app = open_app(page="teach.py")
    app.text_area(key="teach_text").set_value(text).run()
    app.button(key="teach_start").click().run()
    run_on(app)
    assert [box.value for box in app.info] == ["There is nothing to learn from yet. Write a sentence or two."]


def test_without_a_beginning_it_says_so(open_app: Open) -> None:
    app = open_app(page="teach.py")
    app.text_input(key="teach_beginning").set_value(" ").run()
    app.button(key="teach_start").click().run()
    assert any("beginning" in box.value for box in app.info)


def test_too_little_to_grow_up_with_is_one_sentence(open_app: Open) -> None:
    app = open_app(page="teach.py")
    app.text_area(key="newborn_text").set_value("short").run()
    app.button(key="newborn_start").click().run()
    assert any("too little" in box.value for box in app.info)


def test_a_training_ends_when_its_page_is_left(open_app: Open, session: Session) -> None:
    app = open_app(page="teach.py")
    app.select_slider(key="teach_steps").set_value(160).run()
    app.button(key="teach_start").click().run()
    see(app, "teach", 3)
    worker = session(app).results["teach"]
    session(app).open_page("read")  # what app.py says to the session; Streamlit's test runner goes to a page without it
    assert not worker.running and worker.wait(120)
    assert len(worker.about.steps) < 160
