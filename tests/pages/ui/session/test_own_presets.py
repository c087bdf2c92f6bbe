"""What a browser says it stored of a visitor's presets is a stranger's word; what was saved comes back as it was."""

from __future__ import annotations

from typing import Any

import pytest

from core import SamplingSettings
from pages.ui.session import own_presets, share_link
from pages.ui.session.own_presets import LONGEST_NAME, LONGEST_QUERY, MOST, OwnPresets
from tests.pages.apptest import Open, press, show_more, told

FULL = SamplingSettings(temperature=1.3, top_k=7, constraint="choices:a\nb & c=ä", logit_bias={5: None}, order="vllm")


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> OwnPresets:
    """A new visitor's presets."""
    made = OwnPresets()
    monkeypatch.setattr(own_presets, "own_presets", lambda: made)
    return made


def query(settings: SamplingSettings) -> str:
    return share_link.query("", "", settings, [], "")


@pytest.mark.parametrize("settings", [FULL, SamplingSettings(), SamplingSettings(greedy=True)], ids=str)
def test_a_stored_preset_comes_back_as_it_was(settings: SamplingSettings, own: OwnPresets) -> None:
    own_presets.found({"Mine": query(settings)})
    assert own.presets == {"Mine": settings}


def test_what_is_there_is_not_overwritten(own: OwnPresets) -> None:
    own.presets["Mine"] = FULL
    own_presets.found({"Mine": query(SamplingSettings(top_k=3)), "Other": query(SamplingSettings(top_k=3))})
    assert own.presets == {"Mine": FULL, "Other": SamplingSettings(top_k=3)}


@pytest.mark.parametrize("stored", [None, 5, "x", [], ["a"], [["a", "b"]], True, b"x", {}, {1: 2}, {None: "top_k=3"}])
def test_any_other_value_is_ignored(stored: Any, own: OwnPresets) -> None:
    own_presets.found(stored)
    assert own.presets == {}


@pytest.mark.parametrize("broken", ["top_k=banana", "constraint=regex%3A(a", "order=nope", "x" * (LONGEST_QUERY + 1), None, 5, {"a": 1},
                                    "temperature=nan", "logit_bias=1:2:3"])  # fmt: skip
def test_a_preset_that_cannot_be_read_is_named_and_the_others_stay(broken: Any, own: OwnPresets, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(own_presets, "notify", said.append)
    own_presets.found({"Bad": broken, "Good": query(FULL)})
    assert own.presets == {"Good": FULL} and len(said) == 1 and "Bad" in said[0]


def test_names_and_their_number_are_bounded(own: OwnPresets) -> None:
    own_presets.found({f"{'n' * 100}{i}": "top_k=3" for i in range(100)} | {"\n\x00": "top_k=3"})
    assert len(own.presets) <= MOST and all(len(name) <= LONGEST_NAME for name in own.presets)


def test_saving_using_and_deleting(open_app: Open) -> None:
    app = show_more(open_app(prompt="Once", temperature="1.3", top_k="7", order="vllm"))
    app.text_input(key="own_preset_name").set_value("  ").run()
    press(app, "own_preset_save")
    assert "A preset needs a name of letters, digits or signs." in told(app)
    app.text_input(key="own_preset_name").set_value("Careful").run()
    press(app, "own_preset_save")
    assert any("comes with the app" in note for note in told(app))
    app.text_input(key="own_preset_name").set_value("Mine <b>").run()
    press(app, "own_preset_save")
    press(app, "preset_Careful")
    assert app.session_state["temperature"] == 0.5
    press(app, "own_preset_0")
    assert (app.session_state["temperature"], app.session_state["top_k"], app.session_state["order"]) == (1.3, 7, "vllm")
    press(app, "own_delete_0")
    assert not [button for button in app.button if button.key == "own_preset_0"]


def test_no_more_presets_than_the_limit(open_app: Open) -> None:
    app = show_more(open_app(prompt="Once"))
    own_presets_of = app.session_state["_session"].memory[OwnPresets]
    own_presets_of.presets |= {f"p{number}": SamplingSettings(top_k=number) for number in range(MOST)}
    app.text_input(key="own_preset_name").set_value("one more").run()
    press(app, "own_preset_save")
    assert any("Delete one first" in note for note in told(app)) and len(own_presets_of.presets) == MOST
