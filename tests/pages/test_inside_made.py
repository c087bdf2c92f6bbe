"""Inside says what made a step, and greys what other settings would change."""

from __future__ import annotations

import re

from streamlit.testing.v1 import AppTest

from tests.pages.apptest import Open, State, html
from tests.pages.test_active_settings import blocks


def containers(app: AppTest) -> list[str]:
    """The keys of all results on the page."""
    return re.findall(r"result_\w+", " ".join(block.proto.id for block in blocks(app._tree) if hasattr(block.proto, "id")))


def test_inside_a_step_says_what_it_was_made_with_and_pales_what_other_settings_would_change(open_app: Open, session: State) -> None:
    app = open_app(page="inside.py", prompt="The fox", seed="3", temperature="0.7")
    app.button(key="inside_step").click().run()
    line = "Storyteller · “The fox” · temperature 0.7, top-p 0.9 · seed 3"
    assert line in html(app) and "Made before" not in html(app)
    app.slider(key="temperature").set_value(1.4).run()
    assert line.replace("0.7", "1.4") in html(app) and "Made before" not in html(app), "the odds of the coming token follow the slider"
    session(app).selected_index = 0
    app.run()
    assert not app.exception
    assert line in html(app) and "Made before you changed the settings" in html(app)
    assert {"result_inside_settings_outdated", "result_inside_roll_outdated"} <= set(containers(app))
