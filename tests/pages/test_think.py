"""Thinking aloud as a page: one question both ways, and a whole set with progress and what the count is worth."""

from __future__ import annotations

import pytest

from core.experiments.thinking import CHAIN_OF_THOUGHT, DIRECT
from pages.ui.i18n import names, numbers
from tests.pages.apptest import Open, State, press, said


def test_the_recorded_results_are_drawn(open_app: Open, session: State) -> None:
    app = open_app(page="think.py")
    seen = session(app).results["think"].seen
    assert said(app).count("It says **") == 2 and f"{numbers.tokens(sum(way == DIRECT for way, _ in seen))}." in said(app)
    assert len(app.get("vega_lite_chart")) == 1
    app.segmented_control(key="think_view").set_value(names.THINK_VIEWS[1]).run()
    entries = session(app).results["think_set"].seen
    for way in (DIRECT, CHAIN_OF_THOUGHT):
        done = [entry for entry in entries if entry.style == way]
        assert f"{sum(entry.right for entry in done)} of {len(done)} right" in said(app)
    assert len(entries) == 100 and len(app.get("vega_lite_chart")) == 1


@pytest.mark.parametrize(("question", "answer"), [("", "5"), ("word " * 99, ""), ("<b>$x$</b>🦊", "9" * 40)])
def test_whatever_is_asked_it_answers_or_says_why_not(question: str, answer: str, open_app: Open) -> None:
    app = open_app(page="think.py", greedy="true")
    app.text_input(key="think_question").set_value(question)
    app.text_input(key="think_answer").set_value(answer)
    press(app, "think_start")
    if any(button.key == "think_stop" for button in app.button):
        press(app, "think_stop")
