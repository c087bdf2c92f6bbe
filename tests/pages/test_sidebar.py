"""The sidebar: a setting that a page does not show keeps its value."""

from __future__ import annotations

from tests.pages.apptest import Open, State, go
from tests.pages.test_settings_of_page import counting


def test_a_setting_keeps_its_value_on_pages_without_it(open_app: Open, session: State) -> None:
    app = open_app(page="watch.py", temperature="0.7")
    app.slider(key="temperature").set_value(1.4).run()
    go(app, "context.py")
    assert counting(app) == frozenset() and not [one for one in app.slider if one.key == "temperature"]
    go(app, "watch.py")
    assert app.slider(key="temperature").value == 1.4
