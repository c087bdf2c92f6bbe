"""A result belongs to what made it: it says so, pales when the controls say something else, and mixes with no other model's numbers."""

from __future__ import annotations

import gzip
import json
import re
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core import Generation, Recording, SamplingSettings, load_model
from core.errors import BadRecording
from core.experiments.shared.result_file import RecordedExperiment
from pages.ui.experiments import stored_results
from pages.ui.i18n import spoken_language
from pages.ui.session import run_start
from pages.ui.session.provenance import Provenance, stored
from pages.ui.session.run_request import RunRequest
from tests.pages.apptest import Open, State, go, html, press
from tests.pages.test_settings_of_page import blocks

MADE = Provenance("storyteller", "The fox", SamplingSettings(temperature=0.8, seed=3), stored(length=40, rates=(1, 2)))


@pytest.mark.parametrize(
    ("now", "changed"),
    [
        (MADE, []),
        (Provenance("other", MADE.prompt, MADE.settings, MADE.controls), ["the model"]),
        (Provenance("storyteller", "The fix", SamplingSettings(), MADE.controls), ["the prompt", "the settings"]),
        (Provenance("storyteller", "The fox", MADE.settings, stored(length=20, rates=(1, 3))), ["the length", "the rates"]),
        (Provenance("storyteller", "The fox", MADE.settings, stored(rates=(1, 2), column_4="Wild")), ["the length", "column 4"]),
    ],
)
def test_it_knows_what_is_another_now(now: Provenance, changed: list[str]) -> None:
    assert MADE.differences(now) == changed


CONTROLS = [
    ("compare", "segmented_control", "compare_count", 4),
    ("compare", "selectbox", "compare_preset_1", "Wild"),
    ("think", "text_input", "think_question", "What is 1 + 1?"),
    ("memory", "select_slider", "memory_budget", 12),
    ("cost", "text_area", "cost_terse", "Why?"),
]


def test_a_control_is_as_it_was_on_coming_back(open_app: Open) -> None:
    app = open_app()
    for page, kind, key, value in CONTROLS:
        getattr(go(app, page), kind)(key=key).set_value(value).run()
    for page, kind, key, value in CONTROLS:
        assert getattr(go(app, page), kind)(key=key).value == value, key


def test_a_recording_is_not_called_outdated_for_sliders_that_rest(open_app: Open, session: State) -> None:
    run = Generation(load_model("storyteller"), "The fox", SamplingSettings(temperature=1.3, seed=9))
    run.step()
    replay = Recording.of(run).replay()
    replay.step()
    app = open_app(prompt="A boat")
    run_start.replace_run(session(app), replay, RunRequest("storyteller", "A boat"))
    session(app).player.moment = "rolled"
    go(app, "inside")
    assert "Storyteller · “The fox” · temperature 1.3 · seed 9" in html(app) and "Made before" not in html(app)


def containers(app: AppTest) -> list[str]:
    """The keys of all results on the page."""
    return re.findall(r"result_\w+", " ".join(block.proto.id for block in blocks(app._tree) if hasattr(block.proto, "id")))


def test_inside_a_step_says_what_it_was_made_with_and_pales_what_other_settings_would_change(open_app: Open, session: State) -> None:
    app = press(open_app(page="inside", prompt="The fox", seed="3", temperature="0.7"), "inside_step")
    line = "Storyteller · “The fox” · temperature 0.7, top-p 0.9 · seed 3"
    assert line in html(app) and "Made before" not in html(app)
    app.slider(key="temperature").set_value(1.4).run()
    assert line.replace("0.7", "1.4") in html(app) and "Made before" not in html(app), "the odds of the coming token follow the slider"
    session(app).player.selected_index = 0
    app.run()
    assert not app.exception
    assert line in html(app) and "Made before you changed the settings" in html(app)
    assert {"result_inside_settings_outdated", "result_inside_roll_outdated"} <= set(containers(app))


@pytest.mark.parametrize(
    "changed",
    [
        {"model": "a" * 1001},
        {"machine": "a" * 1001},
        {"controls": [["a", ["b" * 200_001]]]},
        {"controls": [["a" * 1001, []]]},
        {"controls": [["a", []]] * 101},
        {"controls": [["a", [1] * 21]]},
        {"controls": [["a", [float("inf")]]]},
        {"controls": [["a", [["b"]]]]},
        {"prompt": "a" * 200_001},
    ],
)
def test_a_file_with_an_input_that_no_page_has_is_refused(changed: dict[str, Any]) -> None:
    """16 MB of a stranger would be shown on the page of its result, again at each draw."""
    content = json.loads(gzip.decompress((stored_results.FOLDER / "same_prompt.json.gz").read_bytes()))
    RecordedExperiment.loads(gzip.compress(json.dumps(content).encode()), stored_results.files())
    content["made_by"] |= changed
    with pytest.raises(BadRecording, match="broken"):
        RecordedExperiment.loads(gzip.compress(json.dumps(content).encode()), stored_results.files())


def test_a_result_of_an_older_file_opens_and_shows_its_controls_as_they_were_written(
    open_app: Open, session: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spoken_language, "best_match", lambda wanted: "de")
    content = json.loads(gzip.decompress((stored_results.FOLDER / "same_prompt.json.gz").read_bytes()))
    del content["made_by"]["controls"]
    content["made_by"] |= {"chosen": [["the first way", "eager attention | 4 <b>texts"]], "hidden_inputs": [["the text before it", "Once"]]}
    content["about"] = ["eager attention | 4 <b>texts", "bfloat16"]
    opened = stored_results.loads(gzip.compress(json.dumps(content).encode()))
    app = open_app(page="same_prompt")
    session(app).experiments["same_prompt"] = opened
    app.run()
    assert not app.exception
    assert "eager attention | 4 &lt;b&gt;texts" in html(app) and "mit anderen" in html(app)
