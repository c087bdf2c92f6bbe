"""What an experiment cannot run on is one sentence; no page fails."""

from __future__ import annotations

import pytest

from tests.pages.apptest import Open, press, run_on, said

STARTS = ("cache_start", "pupil_start", "quantization_start", "speculative_start", "waiting_start", "candidates_start", "compare_start")


@pytest.mark.parametrize("start", STARTS)
def test_a_prompt_longer_than_the_context_is_refused_in_a_sentence(start: str, open_app: Open) -> None:
    app = press(open_app(page=start.split("_")[0], prompt="word " * 900), start)
    run_on(app)
    assert "Shorten it" in said(app)


def test_the_end_of_the_context(open_app: Open) -> None:
    app = press(open_app(page="context"), "context_end_start")
    run_on(app)
    assert "Here the context ended" in said(app) and "Shorten it." in said(app)


def test_a_question_without_an_answer_is_one_sentence(open_app: Open) -> None:
    app = open_app(page="memory")
    app.segmented_control(key="memory_source").set_value("own").run()
    app.text_input(key="memory_question").set_value("Who?").run()
    press(app, "memory_start")
    assert "The right answer has 1 to 80 characters" in said(app)
