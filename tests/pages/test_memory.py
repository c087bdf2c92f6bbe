"""Running out of pages, as a page."""

from __future__ import annotations

import pytest

from core.experiments.cache_budget import POLICIES, Answer
from tests.pages.apptest import Open, State, html, run_on, said


@pytest.mark.slow
def test_a_question_of_ones_own_about_a_text_of_ones_own(open_app: Open, session: State) -> None:
    app = open_app(page="memory.py")
    app.segmented_control(key="memory_source").set_value("own").run()
    told = "The sun is shining. Tom put the ball under the old bed. " + "A small bird is singing in the tree. " * 6
    app.text_area(key="memory_own").set_value(told)
    app.text_input(key="memory_question").set_value("Where is Tom's *ball*?")
    app.text_input(key="memory_answer").set_value("under the old bed").run()
    assert "Answer: It is" in app.text_input(key="memory_answer").label
    app.button(key="memory_start").click().run()
    run_on(app)
    assert not app.exception
    before, after = (seen for seen in session(app).results["memory"].seen if isinstance(seen, Answer))
    assert "".join(text for text, _ in before.parts) == " under the old bed"
    assert before.probability is not None and after.probability is not None
    assert "Where is Tom's \\*ball\\*? The right answer is “under the old bed”." in said(app)
    assert "lines that are gone" in said(app)
    assert "Lily" not in html(app)
    app.button(key="memory_all").click().run()
    run_on(app)
    assert len(app.dataframe[0].value) == len(POLICIES)


def test_a_question_without_an_answer_is_one_sentence(open_app: Open) -> None:
    app = open_app(page="memory.py")
    app.segmented_control(key="memory_source").set_value("own").run()
    app.text_input(key="memory_question").set_value("Who?").run()
    app.button(key="memory_start").click().run()
    assert not app.exception
    assert "The right answer has 1 to 80 characters" in said(app)


def test_the_calculator_knows_what_does_not_fit(open_app: Open) -> None:
    app = open_app(page="memory.py")
    app.selectbox(key="memory_model").select("llama-3.1-405b").run()
    assert "Not even one" in said(app) and "812" in said(app)
    app.selectbox(key="memory_model").select("llama-3.1-70b").run()
    app.selectbox(key="memory_card").select("h200").run()
    app.segmented_control(key="memory_weights").set_value(8).run()
    app.select_slider(key="memory_context").set_value(128_000).run()
    assert "**One reader** at a time" in said(app)  # 141 GB - 70.6 GB of weights; one notepad of 128,000 tokens takes 41.9 GB
    assert "80 layers × 8 KV heads × (128 + 128) numbers × 2 bytes = **328\u00a0KB** a token" in said(app)
    assert not app.exception
