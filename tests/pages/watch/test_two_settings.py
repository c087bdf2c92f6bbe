"""Two settings side by side on Watch: the same step and roll on both sides; sides are settings that can be chosen, old or deleted."""

from __future__ import annotations

from typing import Any

from core import SamplingSettings
from pages.ui.session.own_presets import OwnPresets
from tests.pages.apptest import Open, press, said, show_more, told

LINK = {"prompt": "The old king", "temperature": "1.5", "top_p": "0.9", "min_p": "0.05"}


def switched_on(app: Any) -> Any:
    show_more(app)
    app.toggle(key="two_settings").set_value(True).run()
    assert not app.exception
    return app


def test_the_coming_step_can_be_compared_under_every_choice(open_app: Open) -> None:
    app = switched_on(open_app(**LINK))
    for choice in ("sidebar", "off", "order:llama.cpp", "order:vllm", "preset:Wild"):
        app.selectbox(key="two_settings_A").set_value(choice).run()
        assert not app.exception and not told(app) and "can be chosen" in said(app), choice


def test_an_own_preset_is_a_side_and_when_it_is_deleted_the_sidebar_s_settings_stand_there(open_app: Open) -> None:
    app = open_app(**LINK)
    presets = app.session_state["_session"].memory[OwnPresets].presets
    presets["Mine"] = SamplingSettings(top_k=1)
    switched_on(app)
    app.selectbox(key="two_settings_B").set_value("own:Mine").run()
    assert "1 token can be chosen" in said(app)
    presets.clear()
    app.run()
    assert not app.exception


def test_settings_that_leave_nothing_are_one_sentence_and_the_page_stays(open_app: Open) -> None:
    app = switched_on(open_app(**LINK, constraint="choices:yes"))
    app.session_state["_session"].memory[OwnPresets].presets["None"] = SamplingSettings(
        constraint="choices:yes", logit_bias=dict.fromkeys(range(1000))
    )
    app.run()
    app.selectbox(key="two_settings_B").set_value("own:None").run()
    assert not app.exception
    press(app, "step")
    assert len(app.session_state["_session"].run.path) == 1


def test_the_end_of_a_run_and_a_reopened_step_can_be_compared(open_app: Open) -> None:
    app = open_app(prompt="Is the sea wet?", constraint="choices:yes")
    for _step in range(6):
        press(app, "step")
    switched_on(app)
    assert "Between A and B" in said(app)
