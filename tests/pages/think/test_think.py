"""Thinking aloud as a page: one question both ways, and a whole set with progress and what the count is worth."""

from __future__ import annotations

import pytest

from tests.pages.apptest import Open, press, told


@pytest.mark.parametrize(("question", "answer"), [("", "5"), ("word " * 99, ""), ("<b>$x$</b>🦊", "9" * 40)])
def test_whatever_is_asked_it_answers_or_says_why_not(question: str, answer: str, open_app: Open) -> None:
    app = open_app(page="think", greedy="true")
    app.text_input(key="think_question").set_value(question)
    app.text_input(key="think_answer").set_value(answer)
    press(app, "think_start")
    if any(button.key == "think_stop" for button in app.button):
        press(app, "think_stop")
    else:
        assert len(told(app)) == 1
