"""The sidebar: a setting that a page does not show keeps its value."""

from __future__ import annotations

from tests.pages.apptest import Open, State, go
from tests.pages.test_settings_of_page import counting


def test_a_setting_keeps_its_value_on_pages_without_it(open_app: Open, session: State) -> None:
    app = open_app(page="watch", temperature="0.7")
    app.slider(key="temperature").set_value(1.4).run()
    go(app, "context")
    assert counting(app) == frozenset() and not [one for one in app.slider if one.key == "temperature"]
    go(app, "watch")
    assert app.slider(key="temperature").value == 1.4


def test_a_moved_slider_ends_greedy_and_a_penalty_does_not(open_app: Open) -> None:
    app = open_app(page="watch")
    app.button(key="preset_Greedy").click().run()
    assert app.toggle(key="greedy").value and app.button(key="chip_greedy")
    app.slider(key="repetition_penalty").set_value(1.5).run()
    assert app.toggle(key="greedy").value and app.button(key="chip_repetition_penalty")
    app.slider(key="temperature").set_value(1.5).run()
    assert not app.toggle(key="greedy").value
    assert not [one for one in app.button if one.key == "chip_greedy"]
    app.button(key="chip_repetition_penalty").click().run()
    assert app.slider(key="repetition_penalty").value == 1.0
