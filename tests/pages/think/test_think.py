"""Thinking aloud as a page: one question both ways, and a whole set with progress and what the count is worth."""

from __future__ import annotations

from core.costs.assumptions import Assumptions
from pages.think import THINK_VIEWS
from pages.ui.experiments import stored_results
from pages.ui.i18n import numbers
from tests.pages.apptest import Open, said, start_and_stop


def test_whatever_is_asked_it_answers_or_says_why_not(open_app: Open) -> None:
    app = open_app(page="think", greedy="true")
    for question, answer in (("", "5"), ("word " * 99, ""), ("<b>$x$</b>🦊", "9" * 40)):
        app.text_input(key="think_question").set_value(question)
        app.text_input(key="think_answer").set_value(answer)
        notices = start_and_stop(app, "think")
        assert notices is None or len(notices) == 1, question


def test_how_much_is_enough_is_told_in_the_numbers_of_the_recorded_results(open_app: Open) -> None:
    app = open_app(page="think", think=THINK_VIEWS[2])
    one, many = (stored_results.bundled(name) for name in ("thinking_budget", "thinking_budget_set"))
    assert one is not None and many is not None
    shown, watts = said(app), Assumptions().watts
    for point in one.observations:
        cells = (numbers.percent(point.chance), point.given, numbers.whole(point.tokens), numbers.prefixed(point.seconds * watts, "J"))
        assert all(str(cell) in shown for cell in cells), point
    own = [point for point in one.observations if not point.waited]
    first = next(number for number in range(len(own)) if all(point.right for point in own[number:]))
    assert f"From **{numbers.tokens(own[first].budget)}** of thoughts on, the answer is right" in shown
    right = sum(each.unforced.right for each in many.observations)
    assert f"Without a limit {right} of {len(many.observations)} are right" in shown
    ended = [(each.unforced.right, each.waited.right) for each in many.observations if each.waited is not None]
    to_wrong, to_right = ended.count((True, False)), ended.count((False, True))
    assert f"{to_wrong} of {len(ended)} answers turn from right to wrong, {to_right} from wrong to right" in shown
