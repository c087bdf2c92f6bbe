"""What the app put into a control stays, though the browser still sends what it showed before."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from pages.ui.session.sampling_controls import START
from tests.pages.apptest import Open, State, press


def playing(open_app: Open, session: State) -> AppTest:
    app = open_app()
    session(app).playing = True
    press(app, "preset_Wild")
    session(app).playing = True
    assert app.slider(key="temperature").value == 1.6
    return app


def test_an_older_value_of_the_browser_does_not_come_back(open_app: Open, session: State) -> None:
    app = playing(open_app, session)
    app.slider(key="temperature").set_value(START.temperature).run()
    assert app.slider(key="temperature").value == 1.6
    assert app.button(key="preset_Wild").proto.type == "primary"


def test_what_the_visitor_turns_since_counts_at_once(open_app: Open, session: State) -> None:
    app = playing(open_app, session)
    app.slider(key="temperature").set_value(0.85).run()
    assert app.slider(key="temperature").value == 0.85
    app.slider(key="temperature").set_value(START.temperature).run()
    assert app.slider(key="temperature").value == START.temperature, "on the way back it is a choice"


def test_who_does_not_play_sends_nothing_late(open_app: Open, session: State) -> None:
    app = press(open_app(), "preset_Wild")
    assert not session(app).set_values
    app.slider(key="temperature").set_value(0.8).run()
    assert app.slider(key="temperature").value == 0.8
