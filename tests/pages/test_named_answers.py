"""Named answers on the Inside page."""

from __future__ import annotations

from core.inspection import named_answers
from tests.pages.apptest import Open


def test_answers_and_tokens_have_their_probabilities(open_app: Open) -> None:
    app = open_app(page="inside.py")
    app.text_input(key="inside_answers").set_value("girl; boy ;; girl").run()
    app.text_input(key="inside_search").set_value("boy").run()
    assert not app.exception
    captions = [one.value for one in app.caption]
    assert sum("girl:" in text for text in captions) == 1
    assert any("boy:" in text for text in captions)
    assert any("boy" in one.value and "|" in one.value for one in app.markdown)
    app.text_input(key="inside_search").set_value("no token has this text").run()
    assert any("No token" in one.value for one in app.caption)


def test_too_many_answers_are_refused_in_one_sentence(open_app: Open) -> None:
    app = open_app(page="inside.py")
    app.text_input(key="inside_answers").set_value(";".join(f"a{number}" for number in range(named_answers.MOST_ANSWERS + 1))).run()
    assert not app.exception
    assert any("answers" in one.value for one in app.info)
