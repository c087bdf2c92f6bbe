"""A result belongs to what made it: it says so, pales when the controls say something else, and mixes with no other model's numbers."""

from __future__ import annotations

from typing import Any

import pytest

from core import Generation, Recording, SamplingSettings, load_model
from pages.ui.session import run_start
from pages.ui.session.provenance import Provenance
from tests.pages.apptest import Open, State, html, run_on

MADE = Provenance("storyteller", "The fox", SamplingSettings(temperature=0.8, seed=3), (("the length", "40 tokens"),), (("rates", "1"),))


@pytest.mark.parametrize(
    ("now", "changed"),
    [
        (MADE, []),
        (Provenance("other", MADE.prompt, MADE.settings, MADE.chosen, MADE.unsaid), ["the model"]),
        (Provenance("storyteller", "The fix", SamplingSettings(), MADE.chosen, MADE.unsaid), ["the prompt", "the settings"]),
        (Provenance("storyteller", "The fox", MADE.settings, (("the length", "20 tokens"),), (("rates", "2"),)), ["the length", "rates"]),
        (Provenance("storyteller", "The fox", MADE.settings, (("column 4", "Wild"),), MADE.unsaid), ["the length", "column 4"]),
    ],
)
def test_it_knows_what_is_another_now(now: Provenance, changed: list[str]) -> None:
    assert MADE.changed(now) == changed


def test_a_comparison_keeps_its_own_columns_and_says_which_controls_have_changed(open_app: Open, session: State) -> None:
    app = open_app(page="compare.py", prompt="Once upon a time", seed="7")
    app.segmented_control(key="compare_count").set_value(4)
    app.segmented_control(key="compare_length").set_value(20)
    app.button(key="compare_start").click().run()
    run_on(app)
    assert "· Greedy · Balanced · Wild · " in html(app)
    app.segmented_control(key="compare_count").set_value(3).run()
    app.selectbox(key="compare_preset_0").set_value("Creative").run()
    assert len(session(app).results["compare"].seen[-1].paths) == 4
    assert "Made before you changed" in html(app) and "column 1" in html(app) and "column 4" in html(app)
    app.selectbox(key="compare_preset_0").set_value("Greedy").run()
    app.segmented_control(key="compare_count").set_value(4).run()
    assert "Made before" not in html(app), "what is chosen again is no change"


CONTROLS = [
    ("compare.py", "segmented_control", "compare_count", 4),
    ("compare.py", "selectbox", "compare_preset_1", "Wild"),
    ("think.py", "text_input", "think_question", "What is 1 + 1?"),
    ("memory.py", "select_slider", "memory_budget", 12),
    ("cost.py", "text_area", "cost_terse", "Why?"),
]


@pytest.mark.parametrize(("page", "kind", "key", "value"), CONTROLS, ids=[key for _, _, key, _ in CONTROLS])
def test_a_control_is_as_it_was_on_coming_back(page: str, kind: str, key: str, value: Any, open_app: Open) -> None:
    app = open_app(page=page)
    getattr(app, kind)(key=key).set_value(value).run()
    app.switch_page("../../pages/growing.py").run()
    app.switch_page(f"../../pages/{page}").run()
    assert not app.exception
    assert getattr(app, kind)(key=key).value == value


def test_a_recording_is_not_called_outdated_for_sliders_that_rest(open_app: Open, session: State) -> None:
    run = Generation(load_model("storyteller"), "The fox", SamplingSettings(temperature=1.3, seed=9))
    run.step()
    replay = Recording.of(run).replay()
    replay.step()
    app = open_app(prompt="A boat")
    run_start.replace(session(app), replay, ("storyteller", "A boat", False))
    session(app).moment = "rolled"
    app.switch_page("../../pages/inside.py").run()
    assert not app.exception
    assert "Storyteller · “The fox” · temperature 1.3 · seed 9" in html(app) and "Made before" not in html(app)
