"""Named answers on the Inside page."""

from __future__ import annotations

from core.inspection import named_answers
from tests.pages.apptest import Open


def test_too_many_answers_are_refused_in_one_sentence(open_app: Open) -> None:
    app = open_app(page="inside")
    app.text_input(key="inside_answers").set_value(";".join(f"a{number}" for number in range(named_answers.MOST_ANSWERS + 1))).run()
    assert not app.exception
    assert any("answers" in one.value for one in app.info)
